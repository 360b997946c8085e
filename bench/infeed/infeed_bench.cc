// What the infeed costs on top of the pipeline: batches and bytes a second
// through queues and slices, against bare Pipeline::Next(), with devices that
// take no time.
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
#include "infeed/infeed.h"
#include "infeed/queues/batch_source.h"
#include "infeed/sharding/batch_placement.h"
#include "pipeline/pipeline.h"

namespace penstock {
namespace {

constexpr uint64_t kRecords = 20'000;
constexpr uint32_t kTokens = 512;

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

  Dataset Make() const {
    return Dataset::TfRecords(path_)
        .Parse({{.name = "tokens"}})
        .Shuffle({.seed = 1})
        .Repeat({.epochs = 0})
        .Bucket({.by = "tokens", .lengths = {kTokens}})
        .Batch({.size = 256});
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

// One batch again and again: queues, slices and threads alone.
class SameBatch : public BatchSource {
 public:
  explicit SameBatch(Batch batch, const Contract& contract, Topology topology)
      : batch_(std::move(batch)),
        contract_(contract),
        topology_(std::move(topology)) {}

  StatusOr<std::optional<Batch>> Next() override {
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
  uint64_t step_ = 0;
};

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
