// What the infeed costs on top of the pipeline: batches and bytes a second
// through queues and slices, against bare Pipeline::Next(), with devices that
// take no time; what handing a slice over and its ledger cost; and how long
// eight devices with steps of 1 ms wait for input.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/example/example_writer.h"
#include "formats/files/file.h"
#include "formats/index/record_index.h"
#include "formats/tfrecord/tfrecord_writer.h"
#include "infeed/accounts/batch_digest.h"
#include "infeed/devices/core_timeline.h"
#include "infeed/devices/feeder.h"
#include "infeed/devices/simulated_device.h"
#include "infeed/infeed.h"
#include "infeed/queues/batch_source.h"
#include "infeed/queues/infeed_queue.h"
#include "infeed/sharding/batch_placement.h"
#include "infeed/sharding/device_hosts.h"
#include "infeed/sharding/slice_places.h"
#include "infeed/training/simulation.h"
#include "pipeline/pipeline.h"

namespace penstock {
namespace {

constexpr uint64_t kRecords = 20'000;
constexpr uint32_t kTokens = 512;
constexpr int64_t kStepNs = 1'000'000;

void Require(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::abort();
}

// An indexed TFRecord file of rows of 512 tokens, made once and removed at the
// end.
class Data {
 public:
  Data()
      : folder_(std::filesystem::temp_directory_path() /
                ("penstock_infeed_bench_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "data.tfrecord";
    FileSystem& files = LocalFiles();
    auto writer = CreateTfRecord(files, path_);
    Require(writer.status());
    std::vector<uint64_t> offsets;
    std::vector<int64_t> tokens(kTokens);
    ExampleWriter example;
    for (uint64_t record = 0; record < kRecords; ++record) {
      for (uint32_t i = 0; i < kTokens; ++i) {
        tokens[i] = static_cast<int64_t>((record * 31 + i * 17) % 50'000);
      }
      example.SetInts("tokens", tokens);
      std::string bytes;
      example.Finish(bytes);
      offsets.push_back((*writer)->framed_bytes());
      Require((*writer)->Append(bytes));
    }
    Require((*writer)->Finish());
    auto info = files.Stat(path_);
    Require(info.status());
    Require(RecordIndex(std::move(offsets),
                        {{"tokens", std::vector<uint32_t>(kRecords, kTokens)}},
                        *info)
                .Save(files, path_));
  }
  ~Data() { std::filesystem::remove_all(folder_); }

  Dataset Make(int64_t rows = 256) const {
    return Dataset::TfRecords(path_)
        .Parse({{.name = "tokens"}})
        .Shuffle({.seed = 1})
        .Repeat({.epochs = 0})
        .Bucket({.by = "tokens", .lengths = {kTokens}})
        .Batch({.size = rows});
  }

 private:
  std::filesystem::path folder_;
  std::string path_;
};

const Mesh& EightCores() {
  static const Mesh& mesh = *new Mesh(*Mesh::Create({{"data", 8}}));
  return mesh;
}

Pipeline Compiled(const Data& data) {
  auto pipeline = Compile(data.Make(), *BatchTopology(EightCores()));
  Require(pipeline.status());
  return *std::move(pipeline);
}

const Data& SharedData() {
  static const Data data;
  return data;
}

void Report(benchmark::State& state, uint64_t bytes) {
  state.SetBytesProcessed(static_cast<int64_t>(bytes));
  state.SetItemsProcessed(state.iterations());
}

void BM_PipelineNext(benchmark::State& state) {
  Pipeline pipeline = Compiled(SharedData());
  uint64_t bytes = 0;
  for (auto _ : state) {
    auto batch = pipeline.Next();
    Require(batch.status());
    for (const Tensor& tensor : (*batch)->tensors) bytes += tensor.bytes.size();
  }
  Report(state, bytes);
}
BENCHMARK(BM_PipelineNext)->UseRealTime();

void BM_InfeedNext(benchmark::State& state) {
  Infeed infeed(Compiled(SharedData()), EightCores(),
                {.depth = static_cast<size_t>(state.range(0))});
  uint64_t bytes = 0;
  for (auto _ : state) {
    auto batch = infeed.Next();
    Require(infeed.status());
    for (const CoreSlice& slice : batch->slices) bytes += slice.size_bytes();
  }
  Report(state, bytes);
}
BENCHMARK(BM_InfeedNext)
    ->ArgName("depth")
    ->Arg(1)
    ->Arg(2)
    ->Arg(8)
    ->UseRealTime();

// One batch again and again, as steps [begin, end).
class SameBatch : public BatchSource {
 public:
  SameBatch(Batch batch, const Contract& contract, Topology topology,
            uint64_t begin = 0, uint64_t end = UINT64_MAX)
      : batch_(std::move(batch)),
        contract_(contract),
        topology_(std::move(topology)),
        step_(begin),
        end_(end) {}

  StatusOr<std::optional<Batch>> Next() override {
    if (step_ == end_) return std::nullopt;
    batch_.step = step_++;
    return batch_;
  }
  void Cancel() override {}
  const Contract& contract() const override { return contract_; }
  const Topology& topology() const override { return topology_; }

 private:
  Batch batch_;
  const Contract contract_;
  const Topology topology_;
  uint64_t step_;
  const uint64_t end_;
};

// Queues, slices and threads alone.
void BM_QueuesAlone(benchmark::State& state) {
  Pipeline pipeline = Compiled(SharedData());
  auto batch = pipeline.Next();
  Require(batch.status());
  // Without its bytes: copying them would be all that is measured.
  Contract contract = pipeline.contract();
  contract.tensors.clear();
  (*batch)->tensors.clear();
  Infeed infeed(std::make_unique<SameBatch>(**std::move(batch), contract,
                                            pipeline.topology()),
                EightCores(), {.depth = 2});
  for (auto _ : state) benchmark::DoNotOptimize(infeed.Next());
  Require(infeed.status());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_QueuesAlone)->UseRealTime();

// From a batch of the pipeline to the eight devices that take their slices of
// it, all work and no waits: cut, transferred, queued and taken out.
void BM_HandOver(benchmark::State& state) {
  constexpr size_t kSteps = 256;
  Pipeline pipeline = Compiled(SharedData());
  auto first = pipeline.Next();
  Require(first.status());
  const auto contract = std::make_shared<const Contract>(pipeline.contract());
  const Mesh& mesh = EightCores();
  const auto places = PlaceSlices(mesh, *contract, pipeline.topology(), "data",
                                  *DeviceHosts::Of(mesh.size(), 1, {}), {});
  Require(places.status());
  std::vector<SimulatedDevice> simulated(
      mesh.size(), SimulatedDevice({.transfer_ns = 0, .bytes_per_second = 0}));
  std::vector<Device*> devices;
  std::vector<std::unique_ptr<InfeedQueue>> queues;
  for (SimulatedDevice& device : simulated) {
    devices.push_back(&device);
    queues.push_back(std::make_unique<InfeedQueue>(
        *contract, places->front().rows, SteadyClock(),
        InfeedQueueOptions{.depth = kSteps}));
  }
  uint64_t step = 0;
  for (auto _ : state) {
    SameBatch source(**first, *contract, pipeline.topology(), step,
                     step + kSteps);
    step += kSteps;
    const Feeder feeder = {.source = source,
                           .contract = contract,
                           .places = *places,
                           .queues = queues,
                           .devices = devices,
                           .clock = SteadyClock(),
                           .counted = [](const PipelineCounts&) {}};
    Require(feeder.Run());
    for (size_t i = 0; i < kSteps; ++i) {
      for (auto& queue : queues) Require(queue->Pop().status());
    }
  }
  state.counters["each"] =
      benchmark::Counter(static_cast<double>(kSteps * queues.size()),
                         benchmark::Counter::kIsIterationInvariantRate |
                             benchmark::Counter::kInvert);
}
BENCHMARK(BM_HandOver);

// What a device writes down of a step, and the part of 1 ms that this is.
void BM_Ledger(benchmark::State& state) {
  CoreTimeline timeline(0, 0);
  for (auto _ : state) {
    const int64_t ready_ns = timeline.Feed(timeline.free_ns(), 100);
    timeline.Begin({.begin_ns = ready_ns});
    timeline.End(timeline.free_ns() + kStepNs, 0, 32);
  }
  benchmark::DoNotOptimize(timeline.ledger());
  state.counters["percent_of_step"] = benchmark::Counter(
      1e-9 * kStepNs / 100, benchmark::Counter::kIsIterationInvariantRate |
                                benchmark::Counter::kInvert);
}
BENCHMARK(BM_Ledger);

// Eight devices, each of 8 rows of tokens a step, whose waits for input are
// told in microseconds.
void BM_RealTime(benchmark::State& state) {
  for (auto _ : state) {
    const auto report =
        Simulate(SharedData().Make(64),
                 {.device = {.step_ns = kStepNs, .compile_ns = 0},
                  .max_steps = static_cast<uint64_t>(state.range(0))});
    Require(report.status());
    const auto us = [](int64_t ns) { return static_cast<double>(ns) * 1e-3; };
    state.counters["au_percent"] = report->times.au_percent;
    state.counters["wait_p50_us"] = us(report->times.wait_p50_ns);
    state.counters["wait_p99_us"] = us(report->times.wait_p99_ns);
    state.counters["wait_max_us"] = us(report->times.wait_max_ns);
  }
}
BENCHMARK(BM_RealTime)
    ->ArgName("steps")
    ->Arg(5000)
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void BM_Digest(benchmark::State& state) {
  Infeed infeed(Compiled(SharedData()), EightCores());
  const auto batch = infeed.Next();
  uint64_t bytes = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(DigestOf(batch->slices[0]));
    bytes += batch->slices[0].size_bytes();
  }
  Report(state, bytes);
}
BENCHMARK(BM_Digest);

}  // namespace
}  // namespace penstock

BENCHMARK_MAIN();
