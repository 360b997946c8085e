// Whole planned and streamed runs, of at least two seconds each.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/pipeline/bench_files.h"
#include "formats/example/example_parser.h"
#include "formats/files/file.h"
#include "formats/open.h"
#include "pipeline/group.h"
#include "pipeline/pipeline.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/load.h"

namespace penstock {
namespace {

// 2 KB records of up to 1,024 tokens; far more than a round or a batch.
const BenchFile& Tokens() {
  static const BenchFile file({.records = 262'144});
  return file;
}

void CountRuns(benchmark::State& state, const BenchFile& files,
               uint64_t epochs) {
  const auto runs =
      static_cast<double>(state.iterations()) * static_cast<double>(epochs);
  state.counters["tokens/s"] = benchmark::Counter(
      runs * static_cast<double>(files.tokens()), benchmark::Counter::kIsRate);
  state.counters["records/s"] = benchmark::Counter(
      runs * static_cast<double>(files.records()), benchmark::Counter::kIsRate);
  state.SetBytesProcessed(
      static_cast<int64_t>(runs * static_cast<double>(files.bytes())));
}

// Records of about 64 bytes.
const BenchFile& SmallRecords() {
  static const BenchFile file({.records = 2'000'000, .longest = 30});
  return file;
}

// The floor: one pass in the order of the file that checks checksums, parses,
// and writes each value once, on one thread. The argument asks for small
// records.
void BM_Floor(benchmark::State& state) {
  const BenchFile& files = state.range(0) != 0 ? SmallRecords() : Tokens();
  auto parser = ExampleParser::Create(
      {{.name = "tokens", .length = FeatureSpec::kAnyLength}});
  CheckOk(parser.status());
  std::vector<int32_t> written(64 * 1024);
  for (auto _ : state) {
    auto reader = OpenRecords(LocalFiles(), files.path());
    CheckOk(reader.status());
    Examples examples;
    for (;;) {
      auto block = (*reader)->NextBlock();
      CheckOk(block.status());
      if (!*block) break;
      const std::span<const std::string_view> records = (*block)->records;
      for (size_t begin = 0; begin < records.size(); begin += 64) {
        examples.Clear();
        CheckOk(parser->Parse(
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
  CountRuns(state, files, 1);
}
BENCHMARK(BM_Floor)
    ->ArgName("small")
    ->Arg(0)
    ->Arg(1)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// From compiling to the last batch.
void Run(const Dataset& dataset, int threads, bool streamed) {
  auto pipeline = Compile(dataset, {.shards = 8},
                          {.threads = threads, .force_streamed = streamed});
  CheckOk(pipeline.status());
  for (;;) {
    auto batch = pipeline->Next();
    CheckOk(batch.status());
    if (!batch->has_value()) return;
    benchmark::DoNotOptimize(batch);
  }
}

Dataset Bucketed(uint64_t epochs) {
  return Dataset::TfRecords(Tokens().path())
      .Shuffle({.seed = 1})
      .Repeat({.epochs = epochs})
      .Bucket({.by = "tokens", .lengths = {128, 256, 512, 1024}})
      .Batch({.size = 256});
}

// Arguments are threads and whether to stream.
void BM_Tokens(benchmark::State& state) {
  constexpr uint64_t kEpochs = 8;
  const Dataset dataset = Bucketed(kEpochs);
  for (auto _ : state) {
    Run(dataset, static_cast<int>(state.range(0)), state.range(1) != 0);
  }
  CountRuns(state, Tokens(), kEpochs);
}
BENCHMARK(BM_Tokens)
    ->ArgNames({"threads", "streamed"})
    ->ArgsProduct({{1, 2}, {0, 1}})
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// The rows of BM_Tokens, and ten times as many: as fast. Arguments are epochs
// and whether to stream.
void BM_Longer(benchmark::State& state) {
  const auto epochs = static_cast<uint64_t>(state.range(0));
  const Dataset dataset = Bucketed(epochs);
  for (auto _ : state) Run(dataset, 2, state.range(1) != 0);
  CountRuns(state, Tokens(), epochs);
}
BENCHMARK(BM_Longer)
    ->ArgNames({"epochs", "streamed"})
    ->ArgsProduct({{8, 80}, {0, 1}})
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// The records of BM_Tokens in so many files: read together, and mixed.
void BM_Mix(benchmark::State& state) {
  constexpr uint64_t kEpochs = 2;
  constexpr size_t kFiles = 100;
  static const auto files = [] {
    std::vector<std::unique_ptr<BenchFile>> made;
    for (size_t f = 0; f < kFiles; ++f) {
      made.push_back(
          std::make_unique<BenchFile>(BenchFileOptions{.records = 2'621}));
    }
    return made;
  }();
  std::string pattern;
  std::vector<MixSource> sources;
  for (const auto& file : files) {
    pattern += (pattern.empty() ? "" : ",") + file->path();
    sources.push_back(
        {Dataset::TfRecords(file->path()).Shuffle({.seed = 1}), 1});
  }
  const Dataset read = state.range(0) == 0
                           ? Dataset::TfRecords(pattern).Shuffle({.seed = 1})
                           : Dataset::Mix(sources, {.stop = MixStop::kLast});
  const Dataset dataset =
      read.Repeat({.epochs = kEpochs})
          .Bucket({.by = "tokens", .lengths = {128, 256, 512, 1024}})
          .Batch({.size = 256});
  for (auto _ : state) {
    Run(dataset, /*threads=*/1, state.range(1) != 0);
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<int64_t>(kEpochs * kFiles * 2'621));
}
BENCHMARK(BM_Mix)
    ->ArgNames({"mixed", "streamed"})
    ->ArgsProduct({{0, 1}, {0, 1}})
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void BM_SmallRecords(benchmark::State& state) {
  constexpr uint64_t kEpochs = 4;
  const BenchFile& files = SmallRecords();
  const Dataset dataset = Dataset::TfRecords(files.path())
                              .Shuffle({.seed = 1})
                              .Repeat({.epochs = kEpochs})
                              .Bucket({.by = "tokens", .lengths = {16, 32}})
                              .Batch({.size = 1024});
  for (auto _ : state) {
    Run(dataset, static_cast<int>(state.range(0)), state.range(1) != 0);
  }
  CountRuns(state, files, kEpochs);
}
BENCHMARK(BM_SmallRecords)
    ->ArgNames({"threads", "streamed"})
    ->ArgsProduct({{1, 2}, {0, 1}})
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// What hosts cost each other: 256 devices, batches of 1,024 rows, streamed, on
// one host and dealt to 32, all in this process. The processor time of 32 less
// that of one, over 32, is what a host pays for telling lengths, arranging
// everyone's rows, and sending and taking rows.
void BM_Hosts(benchmark::State& state) {
  const auto hosts = static_cast<uint32_t>(state.range(0));
  static const BenchFile files({.records = 100'000, .longest = 250});
  const Dataset dataset = Dataset::TfRecords(files.path())
                              .Shuffle({.seed = 1})
                              .Bucket({.by = "tokens", .lengths = {128, 256}})
                              .Batch({.size = 1024});
  uint64_t steps = 0;
  for (auto _ : state) {
    const auto ends = ThreadGroup(hosts);
    std::vector<std::thread> threads;
    for (uint32_t host = 0; host < hosts; ++host) {
      threads.emplace_back([&, host] {
        auto pipeline =
            Compile(dataset, {.shards = 256, .hosts = hosts, .host = host},
                    {.threads = 1,
                     .group = hosts > 1 ? ends[host].get() : nullptr,
                     .force_streamed = true});
        CheckOk(pipeline.status());
        for (;;) {
          auto batch = pipeline->Next();
          CheckOk(batch.status());
          if (!batch->has_value()) return;
          if (host == 0) ++steps;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  state.counters["steps"] = benchmark::Counter(
      static_cast<double>(steps), benchmark::Counter::kAvgIterations);
}
BENCHMARK(BM_Hosts)
    ->ArgName("hosts")
    ->Arg(1)
    ->Arg(32)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// Texts of 2 KB, tokenized in batches of 64 and of 4,096 rows.
void BM_Texts(benchmark::State& state) {
  constexpr uint64_t kEpochs = 3;
  static const BenchFile files(
      {.records = 65'536, .longest = 0, .text_bytes = 2048});
  auto tokenizer = LoadTokenizer(LocalFiles(), "bytes");
  CheckOk(tokenizer.status());
  const Dataset dataset = Dataset::TfRecords(files.path())
                              .Shuffle({.seed = 1})
                              .Repeat({.epochs = kEpochs})
                              .Tokenize(*tokenizer)
                              .Bucket({.by = "tokens", .lengths = {2048, 2112}})
                              .Batch({.size = state.range(1)});
  for (auto _ : state) {
    Run(dataset, static_cast<int>(state.range(0)), /*streamed=*/true);
  }
  CountRuns(state, files, kEpochs);
}
BENCHMARK(BM_Texts)
    ->ArgNames({"threads", "batch"})
    ->ArgsProduct({{1, 2}, {64, 4096}})
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace penstock

BENCHMARK_MAIN();
