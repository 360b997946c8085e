// Runs that change on their way: what was taken stays taken, what is left comes
// in its order, and any state of the changed run goes on exactly.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "pipeline/pipeline.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/pipeline/graph/views_fixture.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::HasSubstr;
using Batches = std::vector<GlobalBatch>;
using Ids = std::vector<uint64_t>;

class LineageTest : public ViewsTest {
 protected:
  // `dataset` behind `state`, on some hosts, whose graph may differ in these.
  static StatusOr<Batches> GoOn(const Dataset& dataset, const State& state,
                                std::vector<Change> changed, size_t hosts = 1) {
    RunOptions options = {.shards = hosts == 3 ? 3u : 12u,
                          .hosts = static_cast<uint32_t>(hosts)};
    options.restore = state;
    options.change = [changed](uint32_t, HostRun& run) {
      run.compile.changed = changed;
    };
    return RunAll(dataset, options);
  }
  static Batches Run(const Dataset& dataset) {
    auto batches = RunAll(dataset);
    EXPECT_OK(batches);
    return batches.ok() ? *batches : Batches();
  }
  // The records of all rows, in the order of the batches.
  static Ids RecordsOf(std::span<const GlobalBatch> batches) {
    Ids ids;
    for (const GlobalBatch& batch : batches) {
      for (const Ids& row : batch.row_records) {
        ids.insert(ids.end(), row.begin(), row.end());
      }
    }
    return ids;
  }
  // From every state of `run` on, other hosts give the rest of it.
  static void ExpectResumes(const Dataset& dataset, const Batches& run) {
    for (size_t done = 1; done <= run.size(); ++done) {
      const size_t hosts = 1 + done % 4;
      ASSERT_OK_AND_ASSIGN(const State state,
                           ParseState(FormatState(run[done - 1].state_after)));
      ASSERT_EQ(state, run[done - 1].state_after);
      ASSERT_OK_AND_ASSIGN(const Batches rest, GoOn(dataset, state, {}, hosts));
      ASSERT_EQ(rest, Batches(run.begin() + static_cast<std::ptrdiff_t>(done),
                              run.end()))
          << "after " << done << " steps on " << hosts << " hosts";
    }
  }
  static Status Refused(const Dataset& before, const Dataset& after,
                        std::vector<Change> changed) {
    return GoOn(after, Run(before).front().state_after, std::move(changed))
        .status();
  }
};

// One length, so that rows stay in the order of the epoch.
Dataset InOrder(const Dataset& dataset, int64_t rows, int64_t length = 40) {
  return dataset.Bucket({.by = "tokens", .lengths = {length}})
      .Batch({.size = rows});
}

TEST_F(LineageTest, ARampOfTheBatchSizeKeepsTheOrderAtEveryStep) {
  const Dataset all =
      Read(Write(50)).Shuffle({.seed = 3}).Repeat({.epochs = 2});
  const Batches before = Run(InOrder(all, 4));
  const Ids order = RecordsOf(before);
  for (size_t step = 1; step <= before.size(); ++step) {
    ASSERT_OK_AND_ASSIGN(
        const Batches after,
        GoOn(InOrder(all, 12, 48), before[step - 1].state_after,
             {Change::kBatches}, 1 + step % 4));
    Ids ids = RecordsOf(std::span(before).first(step));
    const Ids rest = RecordsOf(after);
    ids.insert(ids.end(), rest.begin(), rest.end());
    ASSERT_EQ(ids, order) << "changed after step " << step;
    for (size_t i = 0; i < after.size(); ++i) {
      EXPECT_EQ(after[i].step, step + i);
    }
  }
}

// Rows that wait under the old lengths come first, are more than a new batch,
// and wait on while they are arranged.
TEST_F(LineageTest, RowsThatWaitedComeFirstAndOnce) {
  folders_.push_back(std::make_unique<ScratchFolder>());
  const Dataset all =
      Read(WriteDataset(*folders_.back(), RandomLengths(160, 40, 7)))
          .Shuffle({.seed = 1})
          .Repeat({.epochs = 2});
  const Dataset old = all.Bucket({.by = "tokens", .lengths = {8, 16, 24, 40}})
                          .Batch({.size = 24});
  const Dataset now =
      all.Bucket({.by = "tokens", .lengths = {40}}).Batch({.size = 12});
  const Batches before = Run(old);
  for (const size_t step : {1, 3, 4, 8}) {
    const State& state = before[step - 1].state_after;
    ASSERT_OK_AND_ASSIGN(const Batches after,
                         GoOn(now, state, {Change::kBatches}));
    const Ids rest = RecordsOf(after);
    for (size_t i = 0; i < state.held.size(); ++i) {
      EXPECT_EQ(rest[i], state.held[i].record);
    }
    if (state.held.size() > 12) {
      EXPECT_EQ(after[0].state_after.ahead.size(), state.held.size() - 12);
    }
    Ids ids = RecordsOf(std::span(before).first(step));
    ids.insert(ids.end(), rest.begin(), rest.end());
    std::ranges::sort(ids);
    Ids twice = Iota(160);
    const Ids once = twice;
    twice.insert(twice.end(), once.begin(), once.end());
    std::ranges::sort(twice);
    EXPECT_EQ(ids, twice);
    ExpectResumes(now, after);
  }
}

// Every value of every record once, though one is cut where the length changes.
TEST_F(LineageTest, ALongerRowOfChunksGoesOnInsideARecord) {
  const Dataset all = Read(Write(60, 7)).Shuffle({.seed = 2});
  const auto packed = [&](int64_t length) {
    return all
        .Pack({.by = "tokens", .length = length, .kind = PackKind::kChunk})
        .Batch({.size = 12});
  };
  const Batches before = Run(packed(5));
  size_t cut = 0;
  for (size_t step = 1; step <= before.size(); ++step) {
    const State& state = before[step - 1].state_after;
    ASSERT_OK_AND_ASSIGN(const Batches after,
                         GoOn(packed(11), state, {Change::kBatches}));
    if (!state.held.empty() && state.held[0].begin > 0) {
      ++cut;
      const Status refused =
          GoOn(InOrder(all, 12), state, {Change::kBatches}).status();
      // The stage has another name, and may all the same.
      EXPECT_THAT(refused, StatusIs(StatusCode::kFailedPrecondition,
                                    HasSubstr("was cut by Pack")));
    }
    std::map<uint64_t, std::vector<int32_t>> values;
    Batches both(before.begin(),
                 before.begin() + static_cast<std::ptrdiff_t>(step));
    both.insert(both.end(), after.begin(), after.end());
    for (const GlobalBatch& batch : both) {
      const auto tokens = ValuesOf<int32_t>(batch.tensors[0]);
      const size_t length = tokens.size() / 12;
      for (size_t row = 0; row < 12; ++row) {
        size_t place = 0;
        for (const uint64_t id : batch.row_records[row]) {
          auto& had = values[id];
          while (place < length && had.size() < 7) {
            had.push_back(tokens[row * length + place++]);
          }
        }
      }
    }
    ASSERT_EQ(values.size(), 60u);
    for (const auto& [id, had] : values) {
      ASSERT_EQ(had.size(), 7u) << "record " << id;
      for (size_t j = 0; j < 7; ++j) EXPECT_EQ(had[j], TokenOf(id, j));
    }
    if (step % 2 == 1) ExpectResumes(packed(11), after);
  }
  EXPECT_GT(cut, 0u);
}

TEST_F(LineageTest, EveryWayOfPackingGoesOnFromEveryOther) {
  const Dataset all = Read(Write(90, 5)).Shuffle({.seed = 2});
  const auto packed = [&](PackKind kind, int64_t length) {
    return all.Pack({.by = "tokens", .length = length, .kind = kind})
        .Batch({.size = 12});
  };
  for (const PackKind from : {PackKind::kFirstFit, PackKind::kBestFit}) {
    for (const PackKind to :
         {PackKind::kFirstFit, PackKind::kBestFit, PackKind::kChunk}) {
      const Batches before = Run(packed(from, 11));
      const Dataset now = packed(to, 20);
      ASSERT_OK_AND_ASSIGN(const Batches after, GoOn(now, before[2].state_after,
                                                     {Change::kBatches}));
      Ids ids = RecordsOf(std::span(before).first(3));
      const Ids rest = RecordsOf(after);
      ids.insert(ids.end(), rest.begin(), rest.end());
      std::ranges::sort(ids);
      ids.erase(std::ranges::unique(ids).begin(), ids.end());
      EXPECT_EQ(ids, Iota(90));
      ExpectResumes(now, after);
    }
  }
}

// The rows of `source` in `ids`, whose records are [begin, end).
Ids Of(const Ids& ids, uint64_t begin, uint64_t end) {
  Ids some;
  for (const uint64_t id : ids) {
    if (id >= begin && id < end) some.push_back(id - begin);
  }
  return some;
}

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
  Ids Alone(size_t source, uint64_t epochs) const {
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
    Ids ids = RecordsOf(std::span(before).first(step));
    const Ids rest = RecordsOf(after);
    ids.insert(ids.end(), rest.begin(), rest.end());
    // Each record once an epoch, and each dataset in its own order.
    ASSERT_EQ(ids.size(), 180u);
    EXPECT_EQ(Of(ids, 0, 60), Alone(0, 2)) << "changed after step " << step;
    EXPECT_EQ(Of(ids, 60, 90), Alone(1, 2)) << "changed after step " << step;
    const auto middle = ids.begin() + 90;
    EXPECT_EQ(Of(Ids(ids.begin(), middle), 0, 60).size(), 60u);
    // The new ratio from the change on: of ten rows that come one is of the
    // second dataset, until one of both leaves.
    if (step == 2) {
      const State& state = before[1].state_after;
      ASSERT_TRUE(state.held.empty());
      for (size_t rows = 1; rows <= 40; ++rows) {
        const auto second = static_cast<double>(
            Of(Ids(rest.begin(), rest.begin() + rows), 60, 90).size());
        EXPECT_LT(std::abs(second - 0.1 * static_cast<double>(rows)), 1);
      }
    }
    if (step % 3 == 0) ExpectResumes(now, after);
  }
}

// Where the mix takes a part of each, the next epoch goes on there, too.
TEST_F(MixLineageTest, UnderEveryStopNoRecordRepeatsBeforeItsDatasetIsThrough) {
  for (const MixStop stop :
       {MixStop::kFirst, MixStop::kLast, MixStop::kRepeat}) {
    const Batches before = Run(Mixed({0.5, 0.5}, 12, stop, 3));
    const Dataset now = Mixed({0.2, 0.8}, 12, stop, 3);
    for (const size_t step : {2, 5, 7, 11, 14}) {
      ASSERT_LT(step, before.size());
      ASSERT_OK_AND_ASSIGN(
          const Batches after,
          GoOn(now, before[step - 1].state_after, {Change::kMix}));
      Ids ids = RecordsOf(std::span(before).first(step));
      const Ids rest = RecordsOf(after);
      ids.insert(ids.end(), rest.begin(), rest.end());
      for (const auto [source, begin, end] :
           {std::tuple(0, 0, 60), std::tuple(1, 60, 90)}) {
        const Ids had = Of(ids, begin, end);
        const Ids alone = Alone(source, had.size() / (end - begin) + 1);
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
    Ids ids = RecordsOf(std::span(before).first(step));
    const Ids rest = RecordsOf(after);
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
    Ids ids = RecordsOf(std::span(before).first(2));
    for (const Batches* part : {&between, &after}) {
      const Ids more = RecordsOf(
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
  const Ids order = RecordsOf(before);
  ASSERT_OK_AND_ASSIGN(
      const Batches after,
      GoOn(Mixed({0.55, 0.45}, 24), before[2].state_after, {Change::kBatches}));
  Ids ids = RecordsOf(std::span(before).first(3));
  const Ids rest = RecordsOf(after);
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
    Ids ids;
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

}  // namespace
}  // namespace penstock::testing
