// Runs that change at a step, of graphs drawn at random. tests/pipeline/
// graph_numbers.h says which are run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/pipeline/graph_numbers.h"
#include "tests/pipeline/random_graph.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

constexpr GraphCounts kChangedGraphs = {
    .release = 200, .debug = 200, .asan = 30, .tsan = 20};

// The same with larger batches and, where a mix comes last, another ratio.
RandomGraph WithChanges(const RandomGraph& graph) {
  RandomGraph changed = graph;
  changed.batch *= 2;
  for (int64_t& rows : changed.length_rows) rows *= 2;
  if (changed.pack.window_rows > 0) changed.pack.window_rows += changed.batch;
  if (graph.view == RandomGraph::kMix) changed.weight *= 3;
  return changed;
}

// Whether every row of an epoch comes, whatever the batches and the weights.
bool AllCome(const RandomGraph& graph) {
  return graph.leftover == Leftover::kPad &&
         !(graph.arrange == RandomGraph::kPack &&
           graph.pack.kind == PackKind::kChunk) &&
         (graph.view != RandomGraph::kMix || graph.stop == MixStop::kLast);
}

void ChangeAndGoOn(RandomGraph& graph) {
  graph.force_streamed = false;
  // A mix that is shuffled keeps its weights.
  if (graph.view == RandomGraph::kMix) graph.shuffle = RandomGraph::kNone;
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Compile(graph.Make(), {}));
  if (!pipeline.planned()) return;
  RunOptions alone = graph.Run();
  alone.shards = alone.hosts = 1;
  ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(graph.Make(), alone));
  if (whole.empty()) return;
  const size_t done = 1 + graph.Draw(whole.size());
  RandomGraph changed = WithChanges(graph);
  const auto go_on = [&](const State& from, std::vector<Change> changes) {
    RunOptions options = changed.Run();
    options.restore = from;
    options.change = [&, change = options.change](uint32_t host, HostRun& run) {
      change(host, run);
      run.compile.changed = changes;
    };
    return RunAll(changed.Make(), options);
  };
  const State& at = whole[done - 1].state_after;
  ASSERT_OK_AND_ASSIGN(const auto rest,
                       go_on(at, {Change::kBatches, Change::kMix}));
  ASSERT_OK_AND_ASSIGN(const auto again,
                       go_on(at, {Change::kBatches, Change::kMix}));
  ASSERT_EQ(rest, again);
  std::vector<GlobalBatch> all(
      whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(done));
  all.insert(all.end(), rest.begin(), rest.end());
  if (AllCome(graph)) {
    ASSERT_EQ(SortedRecords(all), SortedRecords(whole)) << "after " << done;
  }
  if (rest.empty()) return;
  const size_t more = 1 + graph.Draw(rest.size());
  ASSERT_OK_AND_ASSIGN(const State state,
                       ParseState(FormatState(rest[more - 1].state_after)));
  ASSERT_OK_AND_ASSIGN(const auto end, go_on(state, {}));
  ASSERT_EQ(end,
            std::vector<GlobalBatch>(
                rest.begin() + static_cast<std::ptrdiff_t>(more), rest.end()))
      << "after " << done << " and " << more << " steps";
}

TEST(RandomLineageTest, AnyPlannedRunGoesOnExactlyBehindAChange) {
  DataPool pool;
  const auto [first, end, one] = NumbersOf(kChangedGraphs);
  for (uint64_t seed = first; seed < end && !::testing::Test::HasFailure();
       ++seed) {
    RandomGraph graph(seed, pool);
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, graph.Describe());
    ChangeAndGoOn(graph);
  }
}

}  // namespace
}  // namespace penstock::testing
