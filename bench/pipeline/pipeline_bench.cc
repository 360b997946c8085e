// The pipeline's arithmetic and whole planned and streamed runs.
//
// A run's dataset is made in a folder of its own under the system's temporary
// folder: 32768 records of 1 to 1024 tokens, so reads come from the page cache.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "formats/example/example_writer.h"
#include "formats/files/file.h"
#include "formats/index/record_index.h"
#include "formats/tfrecord/tfrecord_writer.h"
#include "pipeline/arrange/plan.h"
#include "pipeline/order/permutation.h"
#include "pipeline/order/seed.h"
#include "pipeline/pipeline.h"

namespace penstock {
namespace {

constexpr uint64_t kRecords = 32768;
constexpr uint32_t kLongest = 1024;

void Check(const Status& status) {
  if (status.ok()) return;
  std::cerr << status << "\n";
  std::exit(1);
}

void BM_Permutation(benchmark::State& state) {
  const Permutation permutation(static_cast<uint64_t>(state.range(0)), 1);
  uint64_t position = 0;
  uint64_t sum = 0;
  for (auto _ : state) {
    sum += permutation(position);
    position = position + 1 == permutation.n() ? 0 : position + 1;
  }
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_Permutation)->Arg(1000)->Arg(1 << 20)->Arg(1'000'000'000'000);

uint32_t LengthOf(uint64_t record) {
  return static_cast<uint32_t>(1 + MixKeys({1, record}) % kLongest);
}

// Assignments of 1024 rows in four buckets, one shuffled epoch at a time.
void BM_Plan(benchmark::State& state) {
  const auto records = static_cast<uint64_t>(state.range(0));
  std::vector<uint32_t> lengths(records);
  for (uint64_t i = 0; i < records; ++i) lengths[i] = LengthOf(i);
  Plan plan(
      {.order = Order(records, {.shuffle = true, .seed = 1}),
       .lengths = LengthTable({std::span(lengths)}),
       .arrange = {.rows_per_shard = 1024, .lengths = {128, 256, 512, 1024}},
       .epochs = 0});
  uint64_t steps = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(plan.Next());
    ++steps;
  }
  state.counters["assignments/s"] = benchmark::Counter(
      static_cast<double>(steps), benchmark::Counter::kIsRate);
  state.counters["rows/s"] = benchmark::Counter(
      static_cast<double>(steps) * 1024, benchmark::Counter::kIsRate);
}
BENCHMARK(BM_Plan)->Arg(1 << 16)->Arg(1 << 24);

// Written once, gone when the program ends.
class BenchFiles {
 public:
  BenchFiles() {
    std::string folder =
        (std::filesystem::temp_directory_path() / "penstock_bench.XXXXXX")
            .string();
    if (mkdtemp(folder.data()) == nullptr) {
      std::cerr << "cannot make " << folder << "\n";
      std::exit(1);
    }
    folder_ = folder;
    path_ = folder_ + "/bench.tfrecord";
    auto writer = CreateTfRecord(LocalFiles(), path_);
    Check(writer.status());
    std::vector<uint64_t> offsets;
    LengthColumn column = {"tokens", {}};
    for (uint64_t record = 0; record < kRecords; ++record) {
      std::vector<int64_t> tokens(LengthOf(record));
      for (size_t j = 0; j < tokens.size(); ++j) {
        tokens[j] = static_cast<int64_t>(MixKeys({record, j}) % 50257);
      }
      tokens_ += tokens.size();
      column.lengths.push_back(static_cast<uint32_t>(tokens.size()));
      ExampleWriter example;
      example.SetInts("tokens", tokens);
      std::string bytes;
      example.Finish(bytes);
      offsets.push_back((*writer)->framed_bytes());
      Check((*writer)->Append(bytes));
    }
    Check((*writer)->Finish());
    bytes_ = (*writer)->framed_bytes();
    const auto info = LocalFiles().Stat(path_);
    Check(info.status());
    Check(RecordIndex(std::move(offsets), {column}, *info)
              .Save(LocalFiles(), path_));
  }
  ~BenchFiles() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  const std::string& path() const { return path_; }
  uint64_t tokens() const { return tokens_; }
  uint64_t bytes() const { return bytes_; }

 private:
  std::string folder_;
  std::string path_;
  uint64_t tokens_ = 0;
  uint64_t bytes_ = 0;
};

// One epoch from compiling to the last batch; arguments are threads and
// whether to stream.
void BM_Epoch(benchmark::State& state) {
  static const BenchFiles files;
  const Dataset dataset =
      Dataset::TfRecords(files.path())
          .Shuffle({.seed = 1})
          .Bucket({.by = "tokens", .lengths = {128, 256, 512, 1024}})
          .Batch({.size = 256});
  for (auto _ : state) {
    auto pipeline = Compile(dataset, {.shards = 8},
                            {.threads = static_cast<int>(state.range(0)),
                             .force_streamed = state.range(1) != 0});
    Check(pipeline.status());
    for (;;) {
      auto batch = pipeline->Next();
      Check(batch.status());
      if (!batch->has_value()) break;
    }
  }
  const auto runs = static_cast<double>(state.iterations());
  state.counters["tokens/s"] = benchmark::Counter(
      runs * static_cast<double>(files.tokens()), benchmark::Counter::kIsRate);
  state.counters["records/s"] = benchmark::Counter(
      runs * static_cast<double>(kRecords), benchmark::Counter::kIsRate);
  state.SetBytesProcessed(
      static_cast<int64_t>(runs * static_cast<double>(files.bytes())));
}
BENCHMARK(BM_Epoch)
    ->ArgNames({"threads", "streamed"})
    ->ArgsProduct({{1, 2}, {0, 1}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace penstock

BENCHMARK_MAIN();
