// The laws, on graphs of stages that stand twice and views of views.
// tests/pipeline/graph_numbers.h says which are run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "pipeline/trace.h"
#include "tests/pipeline/graph_numbers.h"
#include "tests/pipeline/varied_graph.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AnyOf;

constexpr GraphCounts kVariedGraphs = {
    .release = 600, .debug = 75, .asan = 20, .tsan = 15};

// What is refused is refused before it begins, for what the graph says.
void CheckRefused(const Status& status) {
  EXPECT_THAT(status.code(), AnyOf(StatusCode::kInvalidArgument,
                                   StatusCode::kFailedPrecondition))
      << status;
}

void GoOn(VariedGraph& graph, const std::vector<GlobalBatch>& expected,
          bool streamed) {
  if (expected.empty()) return;
  const size_t done = 1 + graph.Draw(expected.size());
  RunOptions options = graph.Run();
  options.force_streamed = streamed;
  ASSERT_OK_AND_ASSIGN(options.restore,
                       ParseState(FormatState(expected[done - 1].state_after)));
  ASSERT_OK_AND_ASSIGN(const auto rest, RunAll(graph.dataset(), options));
  ASSERT_EQ(rest, std::vector<GlobalBatch>(
                      expected.begin() + static_cast<std::ptrdiff_t>(done),
                      expected.end()))
      << "after " << done << " steps";
}

// What the plan says of steps, without making them.
void CheckPlan(VariedGraph& graph, const std::vector<GlobalBatch>& made) {
  ASSERT_OK_AND_ASSIGN(Pipeline pipeline, Compile(graph.dataset(), {}));
  if (!pipeline.planned() || made.empty()) return;
  const size_t step = graph.Draw(made.size());
  ASSERT_OK_AND_ASSIGN(const State state, pipeline.StateAfter(step + 1));
  EXPECT_EQ(FormatState(state), FormatState(made[step].state_after)) << step;
  ASSERT_OK_AND_ASSIGN(const StepTrace trace, pipeline.Trace(step));
  std::vector<std::vector<uint64_t>> records(trace.rows);
  for (const TracedPiece& piece : trace.pieces) {
    records[piece.row].push_back(piece.record);
  }
  EXPECT_EQ(records, made[step].row_records);
  EXPECT_EQ(pipeline.StateAfter(made.size() + 1).status().code(),
            StatusCode::kFailedPrecondition);
  ASSERT_OK_AND_ASSIGN(const auto steps, pipeline.WalkSteps(std::nullopt));
  ASSERT_EQ(steps.size(), made.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    ASSERT_EQ(steps[i].shape, made[i].shape) << i;
  }
}

void CheckRecords(const VariedGraph& graph, const std::vector<uint64_t>& ids,
                  const std::vector<GlobalBatch>& batches) {
  std::vector<uint64_t> came = SortedRecords(batches);
  if (graph.all_come()) {
    EXPECT_EQ(came, ids);
    return;
  }
  const auto [end, last] = std::ranges::unique(came);
  came.erase(end, last);
  EXPECT_TRUE(std::ranges::includes(ids, came)) << "records that were left out";
}

// Whether it could be run at all.
bool CheckLaws(VariedGraph& graph) {
  const auto alone = RunAll(graph.dataset(), graph.RunOnOne());
  const auto together = RunAll(graph.dataset(), graph.Run());
  EXPECT_EQ(alone.status().code(), together.status().code());
  if (!alone.ok()) {
    CheckRefused(alone.status());
    return false;
  }
  EXPECT_TRUE(*alone == *together) << "other hosts, other batches";
  if (const auto& ids = graph.ids()) CheckRecords(graph, *ids, *alone);
  CheckPlan(graph, *alone);
  GoOn(graph, *alone, false);
  if (!graph.streams() || ::testing::Test::HasFailure()) return true;
  RunOptions one = graph.RunOnOne();
  one.force_streamed = true;
  const auto streamed = RunAll(graph.dataset(), one);
  EXPECT_OK(streamed);
  if (!streamed.ok()) return true;
  EXPECT_TRUE(*alone == *streamed) << "streamed and planned differ";
  GoOn(graph, *alone, graph.Draw(2) == 0);
  return true;
}

TEST(VariedGraphTest, AnyHostsGiveTheSameBatchesAndGoOnFromAnyState) {
  DataPool pool;
  const auto [first, end, one] = NumbersOf(kVariedGraphs);
  uint64_t ran = 0;
  uint64_t told = 0;
  for (uint64_t seed = first; seed < end && !::testing::Test::HasFailure();
       ++seed) {
    VariedGraph graph(seed, pool);
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, graph.Describe());
    if (!CheckLaws(graph)) continue;
    ++ran;
    if (graph.ids() && graph.all_come()) ++told;
  }
  if (one || HasFailure()) return;
  // Most graphs are of what may stand together, and of many it is told which
  // records an epoch has.
  EXPECT_GE(3 * ran, 2 * end);
  EXPECT_GE(10 * told, end);
}

}  // namespace
}  // namespace penstock::testing
