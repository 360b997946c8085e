// What derived tensors and objectives cost beside plain placing, on one
// thread: rows of one piece, and rows packed with several. Compare medians of
//
//   derive_bench --benchmark_enable_random_interleaving=true
//                --benchmark_repetitions=9
#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "bench/pipeline/bench_files.h"
#include "pipeline/build/batch_layout.h"
#include "pipeline/build/place.h"
#include "pipeline/derive.h"
#include "pipeline/graph/stages.h"
#include "pipeline/objective.h"
#include "pipeline/order/seed.h"
#include "pipeline/pipeline.h"

namespace penstock {
namespace {

enum Made : int64_t {
  kPlain,
  kLabelsAndSegments,
  kAllDerived,
  kMasked,
  kSpans,
  kFill,
  kPrefix,
};

Dataset With(const Dataset& dataset, int64_t made) {
  switch (made) {
    case kLabelsAndSegments:
      return dataset.Derive({Labels("tokens"), SegmentIds("tokens")});
    case kAllDerived:
      return dataset.Derive({Labels("tokens"), SegmentIds("tokens"),
                             Positions("tokens"), LossWeights("tokens")});
    case kMasked:
      return dataset.Objective(
          MaskedLm{.mask_id = 50'000, .vocabulary = 50'257});
    case kSpans:
      return dataset.Objective(SpanCorruption{.sentinel = 50'256});
    case kFill:
      return dataset.Objective(FillInMiddle{
          .prefix_id = 50'000, .middle_id = 50'001, .suffix_id = 50'002});
    case kPrefix:
      return dataset.Objective(PrefixLm{});
    default:
      return dataset;
  }
}

const std::vector<std::vector<int64_t>> kMade = {
    {kPlain, kLabelsAndSegments, kAllDerived, kMasked, kSpans, kFill, kPrefix}};

// Whole planned runs: reading, parsing and placing.
void BM_Run(benchmark::State& state) {
  static const BenchFile files({.records = 65'536});
  const Dataset dataset =
      With(Dataset::TfRecords(files.path()).Shuffle({.seed = 1}),
           state.range(0))
          .Bucket({.by = "tokens", .lengths = {128, 256, 512, 1024}})
          .Batch({.size = 256});
  for (auto _ : state) {
    auto pipeline = Compile(dataset, {.shards = 8}, {.threads = 1});
    CheckOk(pipeline.status());
    for (;;) {
      auto batch = pipeline->Next();
      CheckOk(batch.status());
      if (!batch->has_value()) break;
      benchmark::DoNotOptimize(batch);
    }
  }
  state.counters["tokens/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()) *
                             static_cast<double>(files.tokens()),
                         benchmark::Counter::kIsRate);
}
BENCHMARK(BM_Run)
    ->ArgNames({"made"})
    ->ArgsProduct(kMade)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// Placing alone, of decoded records: 64 rows of 2,048, packed with about 8
// pieces each, over and over into the same batch.
void BM_PlacePacked(benchmark::State& state) {
  constexpr int64_t kRows = 64;
  constexpr uint32_t kWidth = 2048;
  auto stages = FlattenStages(
      With(Dataset::TfRecords("a").Parse({{.name = "tokens"}}), state.range(0))
          .Bucket({.by = "tokens", .lengths = {kWidth}})
          .Batch({.size = kRows}));
  CheckOk(stages.status());
  Examples examples;
  Column& column = examples.columns.emplace_back();
  column.type = FeatureType::kInt64;
  std::vector<std::vector<Piece>> rows(kRows);
  for (auto& row : rows) {
    for (uint32_t place = 0; place < kWidth;) {
      const auto length =
          std::min(kWidth - place, 1 + BenchLength(examples.rows, 512));
      for (uint32_t i = 0; i < length; ++i) {
        column.ints.push_back(
            static_cast<int64_t>(MixKeys({examples.rows, i}) % 50'000));
      }
      column.EndRow();
      row.push_back(
          {.record = examples.rows++, .length = length, .place = place});
      place += length;
    }
  }
  const Placer placer(*stages, stages->MakeContract(), 1);
  BufferPool pool(0);
  Batch batch;
  CheckOk(GiveMemory(placer.contract(), kRows, pool, batch));
  const Locate locate = [](uint64_t) { return std::string(); };
  RowBlock block;
  uint64_t cut = 0;
  for (auto _ : state) {
    for (size_t row = 0; row < rows.size();) {
      for (block.Begin(row); row < rows.size() && !block.full(); ++row) {
        for (const Piece& piece : rows[row]) {
          block.Add(piece, {&examples, piece.record});
        }
        block.EndRow();
      }
      CheckOk(placer.Place(block.rows(), locate, batch, cut));
    }
    benchmark::ClobberMemory();
  }
  state.counters["tokens/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kRows *
                             static_cast<double>(kWidth),
                         benchmark::Counter::kIsRate);
}
BENCHMARK(BM_PlacePacked)
    ->ArgNames({"made"})
    ->Arg(kPlain)
    ->Arg(kLabelsAndSegments)
    ->Arg(kAllDerived)
    ->Arg(kMasked)
    ->Arg(kFill)
    ->Arg(kPrefix)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace penstock

BENCHMARK_MAIN();
