// The pipeline's arithmetic and whole planned and streamed runs.
//
// A run's dataset is made in a folder of its own under the system's temporary
// folder, so reads come from the page cache.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/example/example_parser.h"
#include "formats/example/example_writer.h"
#include "formats/files/file.h"
#include "formats/index/record_index.h"
#include "formats/open.h"
#include "formats/tfrecord/tfrecord_writer.h"
#include "pipeline/arrange/forecast.h"
#include "pipeline/arrange/plan_seek.h"
#include "pipeline/order/permutation.h"
#include "pipeline/order/seed.h"
#include "pipeline/pipeline.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/load.h"

namespace penstock {
namespace {

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

std::unique_ptr<TaskQueue> Threads(int count) {
  auto threads = TaskQueue::Create(count);
  Check(threads.status());
  return *std::move(threads);
}

// Plans of 1024 rows in four buckets.
PlanFacts Facts(std::span<const uint32_t> lengths, uint64_t epochs) {
  PlanFacts facts = {.order = ShuffledOrder(lengths.size(), {.seed = 1}),
                     .lengths = LengthTable({lengths}),
                     .arrange = {.rows = 1024,
                                 .lengths = {128, 256, 512, 1024},
                                 .row_bytes = {1, 1, 1, 1}},
                     .steps = {.epochs = epochs},
                     .forecast = {}};
  facts.forecast = ForecastEpoch(lengths.size(), facts.lengths, facts.arrange,
                                 /*keep_left_over=*/true, *Threads(2));
  return facts;
}

std::vector<uint32_t> Lengths(uint64_t records) {
  std::vector<uint32_t> lengths(records);
  for (uint64_t i = 0; i < records; ++i) lengths[i] = LengthOf(i);
  return lengths;
}

// Assignments of 1024 rows in four buckets, one shuffled epoch at a time.
void BM_Plan(benchmark::State& state) {
  const auto lengths = Lengths(static_cast<uint64_t>(state.range(0)));
  Plan plan = Facts(lengths, 0).MakePlan();
  uint64_t steps = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(plan.Next({}));
    ++steps;
  }
  state.counters["rows/s"] = benchmark::Counter(
      static_cast<double>(steps) * 1024, benchmark::Counter::kIsRate);
}
BENCHMARK(BM_Plan)->Arg(1 << 16)->Arg(1 << 20)->Arg(1 << 24);

// Going on from a saved state in the middle of an epoch.
void BM_PlanLoad(benchmark::State& state) {
  const auto lengths = Lengths(static_cast<uint64_t>(state.range(0)));
  const PlanFacts facts = Facts(lengths, 1);
  Plan plan = facts.MakePlan();
  State middle;
  while (middle.position < lengths.size() / 2) {
    middle = (*plan.Next({}))->after;
  }
  for (auto _ : state) {
    Plan again = facts.MakePlan();
    Check(again.Load(middle));
    benchmark::DoNotOptimize(again.Next({}));
  }
  state.counters["state_bytes"] =
      static_cast<double>(FormatState(middle).size());
}
BENCHMARK(BM_PlanLoad)->Arg(1 << 16)->Arg(1 << 20)->Arg(1 << 24);

// To a step in the middle that no state was saved at.
void BM_Seek(benchmark::State& state) {
  const auto lengths = Lengths(static_cast<uint64_t>(state.range(0)));
  const PlanFacts facts = Facts(lengths, 1);
  const auto threads = Threads(static_cast<int>(state.range(1)));
  for (auto _ : state) {
    auto found = SeekStep(facts, facts.forecast.steps / 2, *threads, {});
    Check(found.status());
    benchmark::DoNotOptimize(found);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Seek)
    ->ArgNames({"records", "threads"})
    ->ArgsProduct({{10'000'000, 100'000'000}, {1, 2}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// One look at a random record's length: files of one size, and one large file
// among many small ones.
void BM_LengthTable(benchmark::State& state) {
  const bool uneven = state.range(0) != 0;
  constexpr uint64_t kFiles = 10'000;
  std::vector<std::vector<uint32_t>> columns(kFiles);
  for (auto& column : columns) column.resize(uneven ? 10 : 1000, 7);
  if (uneven) columns[kFiles / 2].resize(kFiles * 1000);
  const LengthTable table({columns.begin(), columns.end()});
  const uint64_t records = uneven ? kFiles * 1010 - 10 : kFiles * 1000;
  const Permutation permutation(records, 1);
  std::vector<uint64_t> ids(4096);
  std::vector<uint32_t> lengths(ids.size());
  uint64_t first = 0;
  for (auto _ : state) {
    permutation.Fill(first, ids);
    table.Look(ids, lengths);
    benchmark::DoNotOptimize(lengths.data());
    first = (first + ids.size()) % (records - ids.size());
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<int64_t>(ids.size()));
}
BENCHMARK(BM_LengthTable)->ArgName("uneven")->Arg(0)->Arg(1);

struct FilesOptions {
  uint64_t records = 0;
  uint32_t longest = 1024;  // tokens of a record; 0: a text instead
  uint32_t text_bytes = 0;
};

// Written once, gone when the program ends.
class BenchFiles {
 public:
  explicit BenchFiles(FilesOptions options) : records_(options.records) {
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
    for (uint64_t record = 0; record < records_; ++record) {
      ExampleWriter example;
      if (options.text_bytes > 0) {
        std::string text;
        while (text.size() < options.text_bytes) {
          text += std::to_string(MixKeys({record, text.size()})) + " ";
        }
        example.SetBytes("text", text);
        column.lengths.push_back(0);
      } else {
        const auto length =
            static_cast<uint32_t>(1 + MixKeys({1, record}) % options.longest);
        std::vector<int64_t> tokens(length);
        for (size_t j = 0; j < tokens.size(); ++j) {
          tokens[j] = static_cast<int64_t>(MixKeys({record, j}) % 50257);
        }
        tokens_ += length;
        column.lengths.push_back(length);
        example.SetInts("tokens", tokens);
      }
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
  uint64_t records() const { return records_; }
  uint64_t tokens() const { return tokens_; }
  uint64_t bytes() const { return bytes_; }

 private:
  const uint64_t records_;
  std::string folder_;
  std::string path_;
  uint64_t tokens_ = 0;
  uint64_t bytes_ = 0;
};

// 2 KB records of up to 1,024 tokens; far more than a round or a batch.
const BenchFiles& Tokens() {
  static const BenchFiles files({.records = 262'144});
  return files;
}

void CountRuns(benchmark::State& state, const BenchFiles& files) {
  const auto runs = static_cast<double>(state.iterations());
  state.counters["tokens/s"] = benchmark::Counter(
      runs * static_cast<double>(files.tokens()), benchmark::Counter::kIsRate);
  state.counters["records/s"] = benchmark::Counter(
      runs * static_cast<double>(files.records()), benchmark::Counter::kIsRate);
  state.SetBytesProcessed(
      static_cast<int64_t>(runs * static_cast<double>(files.bytes())));
}

// The floor: one pass in the order of the file that checks checksums, parses,
// and writes each value once, on one thread.
void BM_Floor(benchmark::State& state) {
  const BenchFiles& files = Tokens();
  auto parser = ExampleParser::Create(
      {{.name = "tokens", .length = FeatureSpec::kAnyLength}});
  Check(parser.status());
  std::vector<int32_t> written(256 * kLongest);
  for (auto _ : state) {
    auto reader = OpenRecords(LocalFiles(), files.path());
    Check(reader.status());
    Examples examples;
    for (;;) {
      auto block = (*reader)->NextBlock();
      Check(block.status());
      if (!*block) break;
      const std::span<const std::string_view> records = (*block)->records;
      for (size_t begin = 0; begin < records.size(); begin += 64) {
        examples.Clear();
        Check(parser->Parse(
            records.subspan(begin,
                            std::min<size_t>(64, records.size() - begin)),
            [](size_t) { return std::string(); }, examples));
        const auto& ints = examples.columns[0].ints;
        for (size_t i = 0; i < ints.size(); ++i) {
          written[i] = static_cast<int32_t>(ints[i]);
        }
        benchmark::DoNotOptimize(written.data());
        benchmark::ClobberMemory();
      }
    }
  }
  CountRuns(state, files);
}
BENCHMARK(BM_Floor)->UseRealTime()->Unit(benchmark::kMillisecond);

// One epoch from compiling to the last batch.
void RunEpoch(const Dataset& dataset, int threads, bool streamed) {
  auto pipeline = Compile(dataset, {.shards = 8},
                          {.threads = threads, .force_streamed = streamed});
  Check(pipeline.status());
  for (;;) {
    auto batch = pipeline->Next();
    Check(batch.status());
    if (!batch->has_value()) return;
    benchmark::DoNotOptimize(batch);
  }
}

// Arguments are threads and whether to stream.
void BM_Epoch(benchmark::State& state) {
  const Dataset dataset =
      Dataset::TfRecords(Tokens().path())
          .Shuffle({.seed = 1})
          .Bucket({.by = "tokens", .lengths = {128, 256, 512, 1024}})
          .Batch({.size = 256});
  for (auto _ : state) {
    RunEpoch(dataset, static_cast<int>(state.range(0)), state.range(1) != 0);
  }
  CountRuns(state, Tokens());
}
BENCHMARK(BM_Epoch)
    ->ArgNames({"threads", "streamed"})
    ->ArgsProduct({{1, 2}, {0, 1}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// Records of about 64 bytes.
void BM_SmallRecords(benchmark::State& state) {
  static const BenchFiles files({.records = 2'000'000, .longest = 30});
  const Dataset dataset = Dataset::TfRecords(files.path())
                              .Shuffle({.seed = 1})
                              .Bucket({.by = "tokens", .lengths = {16, 32}})
                              .Batch({.size = 1024});
  for (auto _ : state) {
    RunEpoch(dataset, static_cast<int>(state.range(0)), state.range(1) != 0);
  }
  CountRuns(state, files);
}
BENCHMARK(BM_SmallRecords)
    ->ArgNames({"threads", "streamed"})
    ->ArgsProduct({{1, 2}, {0, 1}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// Texts of 2 KB, tokenized in batches of 64 and of 4,096 rows.
void BM_Texts(benchmark::State& state) {
  static const BenchFiles files(
      {.records = 65'536, .longest = 0, .text_bytes = 2048});
  auto tokenizer = LoadTokenizer(LocalFiles(), "bytes");
  Check(tokenizer.status());
  const Dataset dataset = Dataset::TfRecords(files.path())
                              .Shuffle({.seed = 1})
                              .Tokenize(*tokenizer)
                              .Bucket({.by = "tokens", .lengths = {2048, 2112}})
                              .Batch({.size = state.range(1)});
  for (auto _ : state) {
    RunEpoch(dataset, static_cast<int>(state.range(0)), /*streamed=*/true);
  }
  CountRuns(state, files);
}
BENCHMARK(BM_Texts)
    ->ArgNames({"threads", "batch"})
    ->ArgsProduct({{1, 2}, {64, 4096}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace penstock

BENCHMARK_MAIN();
