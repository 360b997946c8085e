// Weights and datasets of a mix that change on the way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "pipeline/trace.h"
#include "tests/pipeline/lineage_fixture.h"
#include "tests/support/effort.h"

namespace penstock::testing {
namespace {

using ::testing::HasSubstr;

class MixLineageTest : public LineageTest {
 protected:
  MixLineageTest() {
    for (const uint64_t records : {60, 30, 40}) {
      sources_.push_back(Read(Write(records)).Shuffle({.seed = 5}));
    }
  }
  Dataset Mixed(std::vector<double> weights, int64_t rows = 12,
                MixStop stop = MixStop::kLast, uint64_t epochs = 2) const {
    std::vector<MixSource> mixed;
    for (size_t i = 0; i < weights.size(); ++i) {
      mixed.push_back({sources_[i], weights[i]});
    }
    return InOrder(Dataset::Mix(std::move(mixed), {.stop = stop})
                       .Repeat({.epochs = epochs}),
                   rows);
  }
  // What a source gives by itself, epoch after epoch.
  RecordIds Alone(size_t source, uint64_t epochs) const {
    return RecordsOf(
        Run(InOrder(sources_[source].Repeat({.epochs = epochs}), 4)));
  }

  std::vector<Dataset> sources_;
};

TEST_F(MixLineageTest, OtherWeightsGoOnWhereEachDatasetWas) {
  const Batches before = Run(Mixed({0.5, 0.5}));
  const Dataset now = Mixed({0.9, 0.1});
  for (size_t step = 1; step <= before.size(); ++step) {
    ASSERT_OK_AND_ASSIGN(
        const Batches after,
        GoOn(now, before[step - 1].state_after, {Change::kMix}, 1 + step % 4));
    RecordIds ids = RecordsOf(std::span(before).first(step));
    const RecordIds rest = RecordsOf(after);
    ids.insert(ids.end(), rest.begin(), rest.end());
    // Each record once an epoch, and each dataset in its own order.
    ASSERT_EQ(ids.size(), 180u);
    EXPECT_EQ(Of(ids, 0, 60), Alone(0, 2)) << "changed after step " << step;
    EXPECT_EQ(Of(ids, 60, 90), Alone(1, 2)) << "changed after step " << step;
    const auto middle = ids.begin() + 90;
    EXPECT_EQ(Of(RecordIds(ids.begin(), middle), 0, 60).size(), 60u);
    // The new ratio from the change on: of ten rows that come one is of the
    // second dataset, until one of both leaves.
    if (step == 2) {
      const State& state = before[1].state_after;
      ASSERT_TRUE(state.held.empty());
      for (size_t rows = 1; rows <= 40; ++rows) {
        const auto second = static_cast<double>(
            Of(RecordIds(rest.begin(), rest.begin() + rows), 60, 90).size());
        EXPECT_LT(std::abs(second - 0.1 * static_cast<double>(rows)), 1);
      }
    }
    if (step % 3 == 0) ExpectResumes(now, after);
  }
}

// Where the mix takes a part of each, the next epoch goes on there, too.
TEST_F(MixLineageTest, UnderEveryStopNoRecordRepeatsBeforeItsDatasetIsThrough) {
  size_t cases = 0;
  for (const MixStop stop :
       {MixStop::kFirst, MixStop::kLast, MixStop::kRepeat}) {
    const Batches before = Run(Mixed({0.5, 0.5}, 12, stop, 3));
    const Dataset now = Mixed({0.2, 0.8}, 12, stop, 3);
    for (const size_t step : {2, 5, 7, 11, 14}) {
      if (cases++ % kCaseStride != 0) continue;
      ASSERT_LT(step, before.size());
      ASSERT_OK_AND_ASSIGN(
          const Batches after,
          GoOn(now, before[step - 1].state_after, {Change::kMix}));
      RecordIds ids = RecordsOf(std::span(before).first(step));
      const RecordIds rest = RecordsOf(after);
      ids.insert(ids.end(), rest.begin(), rest.end());
      for (const auto& [source, begin, end] :
           {std::tuple(0, 0, 60), std::tuple(1, 60, 90)}) {
        const RecordIds had = Of(ids, begin, end);
        const RecordIds alone = Alone(source, had.size() / (end - begin) + 1);
        EXPECT_TRUE(std::equal(had.begin(), had.end(), alone.begin()));
      }
      EXPECT_EQ(after.back().epoch, 2u);
      ExpectResumes(now, after);
    }
  }
}

TEST_F(MixLineageTest, AnAddedDatasetBeginsWithItsFirstRecord) {
  const Batches before = Run(Mixed({0.5, 0.5}));
  const Dataset now = Mixed({0.4, 0.2, 0.4});
  for (const size_t step : {1, 4, 7, 8, 10}) {
    ASSERT_OK_AND_ASSIGN(
        const Batches after,
        GoOn(now, before[step - 1].state_after, {Change::kSources}));
    RecordIds ids = RecordsOf(std::span(before).first(step));
    const RecordIds rest = RecordsOf(after);
    ids.insert(ids.end(), rest.begin(), rest.end());
    EXPECT_EQ(Of(ids, 0, 60), Alone(0, 2));
    EXPECT_EQ(Of(ids, 60, 90), Alone(1, 2));
    // In the epoch of the change all of it comes, too.
    const uint64_t epochs = step <= 8 ? 2 : 1;
    EXPECT_EQ(Of(ids, 90, 130), Alone(2, epochs)) << step;
    ExpectResumes(now, after);
  }
}

TEST_F(MixLineageTest, ARunThatChangesTwiceGoesOnExactly) {
  const Dataset second = Mixed({0.8, 0.2}, 24);
  const Dataset third = Mixed({0.3, 0.3, 0.4}, 36);
  const Batches before = Run(Mixed({0.5, 0.5}));
  ASSERT_OK_AND_ASSIGN(
      const Batches between,
      GoOn(second, before[1].state_after, {Change::kMix, Change::kBatches}, 2));
  for (size_t step = 1; step <= between.size(); ++step) {
    ASSERT_OK_AND_ASSIGN(
        const Batches after,
        GoOn(third, between[step - 1].state_after,
             {Change::kSources, Change::kBatches}, 1 + step % 3));
    if (after.empty()) continue;
    const State& state = after.front().state_after;
    ASSERT_EQ(state.lineage.size(), 3u);
    EXPECT_EQ(state.lineage[0].step, 0u);
    EXPECT_EQ(state.lineage[0].graph, before[0].state_after.graph);
    EXPECT_EQ(state.lineage[1].step, 2u);
    EXPECT_EQ(state.lineage[1].counts, before[1].state_after.counts);
    EXPECT_EQ(state.lineage[2].step, 2 + step);
    EXPECT_EQ(state.lineage[2].graph, state.graph);
    RecordIds ids = RecordsOf(std::span(before).first(2));
    for (const Batches* part : {&between, &after}) {
      const RecordIds more = RecordsOf(
          std::span(*part).first(part == &between ? step : part->size()));
      ids.insert(ids.end(), more.begin(), more.end());
    }
    EXPECT_EQ(Of(ids, 0, 60), Alone(0, 2));
    EXPECT_EQ(Of(ids, 60, 90), Alone(1, 2));
    ExpectResumes(third, after);
  }
}

// A change of what goes on in the order does not begin a mix anew.
TEST_F(MixLineageTest, ARampAloneLeavesTheMixAsItWas) {
  const Batches before = Run(Mixed({0.55, 0.45}));
  const RecordIds order = RecordsOf(before);
  ASSERT_OK_AND_ASSIGN(
      const Batches after,
      GoOn(Mixed({0.55, 0.45}, 24), before[2].state_after, {Change::kBatches}));
  RecordIds ids = RecordsOf(std::span(before).first(3));
  const RecordIds rest = RecordsOf(after);
  ids.insert(ids.end(), rest.begin(), rest.end());
  EXPECT_EQ(ids, order);
}

TEST_F(MixLineageTest, WhatIsDeclaredAndDidNotChangeChangesNothing) {
  const Dataset mix = Mixed({0.5, 0.5});
  const Batches run = Run(mix);
  ASSERT_OK_AND_ASSIGN(const Batches rest, GoOn(mix, run[2].state_after,
                                                {Change::kMix, Change::kSources,
                                                 Change::kBatches}));
  EXPECT_EQ(rest, Batches(run.begin() + 3, run.end()));
}

TEST_F(MixLineageTest, WhatIsNotDeclaredIsRefusedByName) {
  const Dataset before = Mixed({0.5, 0.5});
  const auto refused = [&](const Dataset& after, std::vector<Change> changed,
                           const std::string& words) {
    EXPECT_THAT(Refused(before, after, std::move(changed)),
                StatusIs(StatusCode::kFailedPrecondition, HasSubstr(words)));
  };
  refused(Mixed({0.5, 0.6}), {Change::kBatches},
          "Mix differs; if it is meant to, name Change::kMix in");
  refused(Mixed({0.5, 0.5}, 24), {Change::kMix, Change::kSources},
          "Batch differs; if it is meant to, name Change::kBatches in");
  refused(Mixed({0.5, 0.5, 0.5}), {Change::kMix},
          "name Change::kSources in CompileOptions::changed");
  // Another seed below the Mix, and data in another place.
  const std::vector<Change> all = {Change::kMix, Change::kSources,
                                   Change::kBatches};
  const std::vector<Dataset> sources = sources_;
  sources_ = {sources[0].Exclude({3}), sources[1]};
  refused(Mixed({0.5, 0.5}), all, "it has Shuffle of source 0 where this has");
  sources_ = {sources[2], sources[0], sources[1]};
  refused(Mixed({0.5, 0.5, 0.5}), all, "of the files of source 0 differ");
  sources_ = {sources[0]};
  refused(Mixed({1}), all, "where this has the data");
  // Two sources in one dataset.
  sources_ = {sources[0], sources[1],
              Dataset::Concat({sources[2], sources[2]})};
  refused(Mixed({1, 1, 1}), all, "where this has Concat");
}

TEST_F(MixLineageTest, OnlyTheLastViewMayChangeItsRatio) {
  const auto taken = [&](double weight) {
    return InOrder(
        Dataset::Mix({{sources_[0], weight}, {sources_[1]}}).Take(40), 4);
  };
  EXPECT_THAT(
      Refused(taken(1), taken(2), {Change::kMix}),
      StatusIs(StatusCode::kFailedPrecondition, HasSubstr("Mix differs")));
  // Of a state that does not tell.
  State state = Run(Mixed({0.5, 0.5}))[0].state_after;
  state.taken.clear();
  EXPECT_THAT(GoOn(Mixed({0.4, 0.6}), state, {Change::kMix}),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("what each dataset of its Mix had given")));
  EXPECT_OK(GoOn(Mixed({0.5, 0.5}), state, {}));
}

TEST_F(MixLineageTest, StreamedRunsDoNotChange) {
  const State state = Run(Mixed({0.5, 0.5}))[0].state_after;
  RunOptions options = {.force_streamed = true};
  options.restore = state;
  options.change = [](uint32_t, HostRun& run) {
    run.compile.changed = {Change::kMix};
  };
  EXPECT_THAT(RunAll(Mixed({0.4, 0.6}), options),
              StatusIs(StatusCode::kUnimplemented, HasSubstr("only planned")));
  // But go on where nothing has.
  EXPECT_OK(RunAll(Mixed({0.5, 0.5}), options));
}

TEST_F(MixLineageTest, TracesReachBackToTheStateAndNoFurther) {
  const Batches before = Run(Mixed({0.5, 0.5}));
  const Dataset now = Mixed({0.9, 0.1}, 24);
  const std::vector<Change> changed = {Change::kMix, Change::kBatches};
  ASSERT_OK_AND_ASSIGN(const Batches after,
                       GoOn(now, before[2].state_after, changed));
  ASSERT_OK_AND_ASSIGN(Pipeline pipeline,
                       Compile(now, {}, {.changed = changed}));
  ASSERT_OK(pipeline.Restore(before[2].state_after));
  for (size_t i = 0; i < after.size(); ++i) {
    ASSERT_OK_AND_ASSIGN(const StepTrace trace, pipeline.Trace(3 + i));
    RecordIds ids;
    for (const auto& piece : trace.pieces) ids.push_back(piece.record);
    EXPECT_EQ(ids, RecordsOf(std::span(after).subspan(i, 1)));
    ASSERT_OK_AND_ASSIGN(const State state, pipeline.StateAfter(4 + i));
    EXPECT_EQ(state, after[i].state_after);
  }
  EXPECT_THAT(pipeline.Trace(2),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("step 2 lies before step 3")));
}

// Hosts that do not agree on what may change do not run apart.
TEST_F(MixLineageTest, AHostThatDoesNotDeclareTheChangeEndsAll) {
  RunOptions options = {.shards = 12, .hosts = 2};
  options.restore = Run(Mixed({0.5, 0.5}))[0].state_after;
  options.change = [](uint32_t host, HostRun& run) {
    if (host == 0) run.compile.changed = {Change::kMix};
  };
  EXPECT_THAT(RunAll(Mixed({0.4, 0.6}), options),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("host 1: the state is of this data but of "
                                 "another graph: Mix differs")));
}

// Of stages that a dataset has twice, the second is numbered.
TEST_F(MixLineageTest, ADatasetMayBeAddedWhereStagesStandTwice) {
  std::vector<MixSource> mixed;
  const auto graph = [&](size_t sources) {
    mixed.clear();
    for (size_t i = 0; i < sources; ++i) {
      mixed.push_back({sources_[i].Take(25).Shuffle({.seed = 2}).Take(20)});
    }
    return InOrder(Dataset::Mix(mixed, {.stop = MixStop::kLast}), 4);
  };
  for (const size_t sources : {1, 2}) {
    const Batches before = Run(graph(sources));
    ASSERT_OK_AND_ASSIGN(
        const Batches after,
        GoOn(graph(3), before[1].state_after, {Change::kSources}));
    RecordIds ids = RecordsOf(std::span(before).first(2));
    const RecordIds rest = RecordsOf(after);
    ids.insert(ids.end(), rest.begin(), rest.end());
    EXPECT_EQ(ids.size(), 60u);
  }
}

}  // namespace
}  // namespace penstock::testing
