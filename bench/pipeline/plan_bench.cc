// The pipeline's arithmetic: no byte is read.
#include <benchmark/benchmark.h>

#include <memory>
#include <span>
#include <vector>

#include "bench/pipeline/bench_files.h"
#include "pipeline/arrange/forecast.h"
#include "pipeline/order/block_order.h"
#include "pipeline/order/kept_order.h"
#include "pipeline/order/mix_order.h"
#include "pipeline/order/permutation.h"
#include "pipeline/seek/plan_seek.h"

namespace penstock {
namespace {

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

std::unique_ptr<TaskQueue> Threads(int count) {
  auto threads = TaskQueue::Create(count);
  CheckOk(threads.status());
  return *std::move(threads);
}

// Plans of 1024 rows in four buckets.
PlanFacts Facts(std::span<const uint32_t> lengths, uint64_t epochs,
                std::shared_ptr<const Order> order = nullptr) {
  if (order == nullptr) order = ShuffledOrder(lengths.size(), {.seed = 1});
  PlanFacts facts = {.order = std::move(order),
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
  for (uint64_t i = 0; i < records; ++i) lengths[i] = BenchLength(i, 1024);
  return lengths;
}

// Assignments of 1024 rows in four buckets, one shuffled epoch at a time.
void BM_Plan(benchmark::State& state) {
  const BenchLengths lengths(Lengths(static_cast<uint64_t>(state.range(0))));
  Plan plan = Facts(lengths.lengths(), 0).MakePlan();
  uint64_t steps = 0;
  Step step;
  for (auto _ : state) {
    CheckOk(plan.Next({}, step).status());
    benchmark::DoNotOptimize(step.assignment.pieces.data());
    ++steps;
  }
  state.counters["rows/s"] = benchmark::Counter(
      static_cast<double>(steps) * 1024, benchmark::Counter::kIsRate);
}
BENCHMARK(BM_Plan)->Arg(1 << 16)->Arg(1 << 20)->Arg(1 << 24);

// Such records in `sources` datasets of one size, each shuffled, mixed by
// weights from 1 to 3 until the last one ends.
std::shared_ptr<const MixOrder> MixedOrder(uint64_t records, uint64_t sources) {
  std::vector<MixPart> parts;
  for (uint64_t s = 0; s < sources; ++s) {
    const uint64_t begin = records * s / sources;
    const uint64_t end = records * (s + 1) / sources;
    parts.push_back({ShuffledOrder(FileOrder(end - begin, begin), {.seed = s}),
                     1 + 2 * static_cast<double>(s) / 100});
  }
  auto mix = MixOrder::Create(std::move(parts), MixStop::kRepeat);
  CheckOk(mix.status());
  return *std::move(mix);
}

// All positions of an epoch, 4,096 at a time.
void FillAll(benchmark::State& state, const Order& order) {
  std::vector<uint64_t> ids(4096);
  uint64_t first = 0;
  for (auto _ : state) {
    order.Fill(0, first, ids);
    benchmark::DoNotOptimize(ids.data());
    first = (first + ids.size()) % (order.records() - ids.size());
  }
  state.counters["table_bytes"] = static_cast<double>(order.table_bytes());
  state.SetItemsProcessed(state.iterations() *
                          static_cast<int64_t>(ids.size()));
}

// The order alone: one source, shuffled and not mixed, and mixes of several.
void BM_MixOrder(benchmark::State& state) {
  const auto sources = static_cast<uint64_t>(state.range(0));
  constexpr uint64_t kRecords = 1 << 24;
  std::shared_ptr<const Order> order = ShuffledOrder(kRecords, {.seed = 1});
  if (sources > 0) order = MixedOrder(kRecords, sources);
  FillAll(state, *order);
}
BENCHMARK(BM_MixOrder)->ArgName("sources")->Arg(0)->Arg(1)->Arg(10)->Arg(100);

// A shuffled part of `records` records, of so many hundredths: its order, every
// position of which is a look into the table, and the making of that.
void BM_SplitOrder(benchmark::State& state) {
  const auto records = static_cast<uint64_t>(state.range(0));
  const SplitOptions split = {.end = static_cast<double>(state.range(1)) / 100};
  const std::shared_ptr<const Order> order = ShuffledOrder(
      KeptOrder(SplitBits(split, records), records, 0), {.seed = 1});
  FillAll(state, *order);
}
BENCHMARK(BM_SplitOrder)
    ->ArgNames({"records", "hundredths"})
    ->ArgsProduct({{1 << 20, 1 << 27}, {1, 99}});

// Blocks of 1,024 records that change places, mixed in windows of 16.
void BM_BlockOrder(benchmark::State& state) {
  const auto records = static_cast<uint64_t>(state.range(0));
  FillAll(state, *ShuffledBlocks(FileOrder(records), 1024, 0, {.seed = 1}));
}
BENCHMARK(BM_BlockOrder)->ArgName("records")->Arg(1 << 20)->Arg(1 << 27);

void BM_SplitTable(benchmark::State& state) {
  constexpr uint64_t kRecords = 1 << 24;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        KeptOrder(SplitBits({.end = 0.99}, kRecords), kRecords, 0));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kRecords));
}
BENCHMARK(BM_SplitTable)->Unit(benchmark::kMillisecond);

// Plans as BM_Plan's, of mixes: each step tells what every source has given.
void BM_PlanMix(benchmark::State& state) {
  const auto sources = static_cast<uint64_t>(state.range(0));
  const auto lengths = Lengths(1 << 22);
  const std::shared_ptr<const MixOrder> mix =
      sources == 0 ? nullptr : MixedOrder(lengths.size(), sources);
  PlanFacts facts = Facts(lengths, 0, mix);
  facts.steps.mix = mix ? MixEpochs(mix) : MixEpochs();
  Plan plan = facts.MakePlan();
  uint64_t steps = 0;
  Step step;
  for (auto _ : state) {
    CheckOk(plan.Next({}, step).status());
    benchmark::DoNotOptimize(step.assignment.pieces.data());
    ++steps;
  }
  state.counters["rows/s"] = benchmark::Counter(
      static_cast<double>(steps) * 1024, benchmark::Counter::kIsRate);
}
BENCHMARK(BM_PlanMix)->ArgName("sources")->Arg(0)->Arg(1)->Arg(10)->Arg(100);

// Going on from a saved state in the middle of an epoch.
void BM_PlanLoad(benchmark::State& state) {
  const auto lengths = Lengths(static_cast<uint64_t>(state.range(0)));
  const PlanFacts facts = Facts(lengths, 1);
  Plan plan = facts.MakePlan();
  Step step;
  while (step.after.position < lengths.size() / 2) {
    CheckOk(plan.Next({}, step).status());
  }
  const State middle = step.after;
  for (auto _ : state) {
    Plan again = facts.MakePlan();
    CheckOk(again.Load(middle));
    CheckOk(again.Next({}, step).status());
    benchmark::DoNotOptimize(step.assignment.pieces.data());
  }
  state.counters["state_bytes"] =
      static_cast<double>(FormatState(middle).size());
}
BENCHMARK(BM_PlanLoad)->Arg(1 << 16)->Arg(1 << 20)->Arg(1 << 24);

// To a step that no state was saved at, so many hundredths of the way.
void BM_Seek(benchmark::State& state) {
  const auto lengths = Lengths(static_cast<uint64_t>(state.range(0)));
  const PlanFacts facts = Facts(lengths, 1);
  const auto threads = Threads(static_cast<int>(state.range(1)));
  for (auto _ : state) {
    auto found = SeekStep(
        facts,
        facts.forecast.steps * static_cast<uint64_t>(state.range(2)) / 100,
        *threads, {});
    CheckOk(found.status());
    benchmark::DoNotOptimize(found);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * state.range(2) /
                          100);
}
BENCHMARK(BM_Seek)
    ->ArgNames({"records", "threads", "hundredths"})
    ->ArgsProduct({{10'000'000, 100'000'000}, {1, 2}, {50, 100}})
    ->MeasureProcessCPUTime()
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

}  // namespace
}  // namespace penstock

BENCHMARK_MAIN();
