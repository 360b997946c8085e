// Packing: the plan alone, and rows that are read, decoded and built. Records
// have lengths of a lognormal distribution, as documents do.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "bench/pipeline/bench_files.h"
#include "formats/example/examples.h"
#include "pipeline/arrange/plan_facts.h"
#include "pipeline/derive.h"
#include "pipeline/pipeline.h"

namespace penstock {
namespace {

constexpr int64_t kLength = 2048;

std::vector<uint32_t> DocumentLengths(uint64_t records) {
  std::vector<uint32_t> lengths(records);
  for (uint64_t i = 0; i < records; ++i) {
    lengths[i] = DocumentLength(i, kLength);
  }
  return lengths;
}

PackKind KindOf(const benchmark::State& state) {
  return static_cast<PackKind>(state.range(0));
}

// Plans in which `rows` rows make a batch. Tells how full they are.
void BM_PackPlan(benchmark::State& state) {
  const auto lengths = DocumentLengths(1 << 20);
  const auto rows = static_cast<uint64_t>(state.range(1));
  const uint64_t window = state.range(2) > 0
                              ? static_cast<uint64_t>(state.range(2))
                              : rows + rows / 4 + 64;
  PlanFacts facts = {.order = ShuffledOrder(lengths.size(), {.seed = 1}),
                     .lengths = LengthTable({lengths}),
                     .arrange = {.rows = rows,
                                 .lengths = {kLength},
                                 .pack = PackRule{.kind = KindOf(state),
                                                  .max_segments = kLength,
                                                  .window_rows = window}},
                     .steps = {.epochs = 0},
                     .forecast = {}};
  Plan plan = facts.MakePlan();
  uint64_t values = 0;
  uint64_t made = 0;
  uint64_t records = 0;
  uint64_t held = 0;
  uint64_t steps = 0;
  Step step;
  for (auto _ : state) {
    CheckOk(plan.Next({}, step).status());
    made += rows;
    records += step.assignment.pieces.size();
    held += step.after.held.size();
    ++steps;
    for (const Piece& piece : step.assignment.pieces) values += piece.length;
  }
  state.counters["tokens/s"] = benchmark::Counter(static_cast<double>(values),
                                                  benchmark::Counter::kIsRate);
  state.counters["records/s"] = benchmark::Counter(static_cast<double>(records),
                                                   benchmark::Counter::kIsRate);
  state.counters["fill_%"] =
      100 * static_cast<double>(values) / static_cast<double>(made * kLength);
  state.counters["held"] = static_cast<double>(held) /
                           static_cast<double>(std::max<uint64_t>(1, steps));
}
BENCHMARK(BM_PackPlan)
    ->ArgNames({"kind", "rows", "window"})
    ->ArgsProduct({{0, 1, 2}, {8, 64, 256, 1024}, {0}})
    ->Args({0, 64, 64})
    ->Args({0, 64, 128})
    ->Args({0, 64, 512})
    ->Args({1, 64, 64})
    ->Args({1, 64, 128})
    ->Args({1, 64, 512})
    ->Args({1, 1024, 4096});

constexpr uint64_t kEpochs = 4;

struct RunOptions {
  uint64_t tokens = 0;  // of an epoch
  bool shuffled = true;
  bool streamed = false;
};

// Whole runs, from compiling to the last batch of 64 rows.
void RunPacked(Dataset dataset, RunOptions options, benchmark::State& state) {
  if (options.shuffled) dataset = dataset.Shuffle({.seed = 1});
  dataset = dataset.Repeat({.epochs = kEpochs});
  // Beside packing, rows of one record each; 4 is best fit, balanced; 5 is that
  // with labels and segment ids.
  const int64_t kind = state.range(0);
  const bool balanced = kind >= 4;
  dataset =
      kind == 3
          ? dataset.Bucket(
                {.by = "tokens", .lengths = {128, 256, 512, 1024, kLength}})
          : dataset.Pack({.by = "tokens",
                          .length = kLength,
                          .kind = balanced ? PackKind::kBestFit
                                           : static_cast<PackKind>(kind)});
  if (kind == 5) {
    dataset = dataset.Derive({Labels("tokens"), SegmentIds("tokens")});
  }
  dataset =
      dataset.Batch({.size = 64, .balance = {.parts = balanced ? 16 : 0}});
  for (auto _ : state) {
    auto pipeline = Compile(dataset, {.shards = 8},
                            {.threads = 1, .force_streamed = options.streamed});
    CheckOk(pipeline.status());
    for (;;) {
      auto batch = pipeline->Next();
      CheckOk(batch.status());
      if (!batch->has_value()) break;
    }
  }
  state.counters["tokens/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kEpochs *
                             static_cast<double>(options.tokens),
                         benchmark::Counter::kIsRate);
}

constexpr uint64_t kRecords = 100'000;

// Over a file: read, checked, parsed, packed and built.
void BM_Packed(benchmark::State& state) {
  static const BenchFile files(
      {.records = kRecords, .longest = kLength, .documents = true});
  RunPacked(Dataset::TfRecords(files.path()),
            {.tokens = files.tokens(),
             .shuffled = state.range(1) != 0,
             .streamed = state.range(2) != 0},
            state);
}
BENCHMARK(BM_Packed)
    ->ArgNames({"kind", "shuffled", "streamed"})
    ->ArgsProduct({{0, 1}, {0}, {0}})
    ->ArgsProduct({{0, 1, 2, 3, 4, 5}, {1}, {0, 1}})
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);

// The same rows, as a program has them in memory.
void BM_PackedColumns(benchmark::State& state) {
  static const std::shared_ptr<const Examples> rows = [] {
    auto made = std::make_shared<Examples>();
    Column& column = made->columns.emplace_back();
    column.name = "tokens";
    column.type = FeatureType::kInt64;
    column.narrow = true;
    for (; made->rows < kRecords; ++made->rows) {
      const uint32_t length = DocumentLength(made->rows, kLength);
      for (uint32_t j = 0; j < length; ++j) {
        column.narrow_ints.push_back(
            static_cast<int32_t>((made->rows + j) % 50'000));
      }
      column.EndRow();
    }
    return made;
  }();
  RunPacked(
      Dataset::Columns(rows).Parse({{.name = "tokens"}}),
      {.tokens = rows->columns[0].values(), .shuffled = state.range(1) != 0},
      state);
}
BENCHMARK(BM_PackedColumns)
    ->ArgNames({"kind", "shuffled"})
    ->ArgsProduct({{0, 1}, {0}})
    ->ArgsProduct({{0, 1, 2, 3, 4, 5}, {1}})
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace penstock

BENCHMARK_MAIN();
