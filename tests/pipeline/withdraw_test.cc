// Records that leave their places in the order empty, from the start or from a
// step on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/pipeline/lineage_fixture.h"

namespace penstock::testing {
namespace {

using ::testing::HasSubstr;

class WithdrawTest : public LineageTest {
 protected:
  Dataset Varied(uint64_t records = 160) {
    folders_.push_back(std::make_unique<ScratchFolder>());
    return Read(WriteDataset(*folders_.back(), RandomLengths(records, 40, 7)))
        .Shuffle({.seed = 1})
        .Repeat({.epochs = 2});
  }
  static RecordIds Without(RecordIds ids, const RecordIds& withdrawn) {
    std::erase_if(ids, [&](uint64_t id) {
      return std::ranges::find(withdrawn, id) != withdrawn.end();
    });
    return ids;
  }
};

TEST_F(WithdrawTest, OthersKeepTheirOrder) {
  const Dataset all = Varied();
  const RecordIds gone = {0, 7, 8, 9, 100, 159};
  const RecordIds order = RecordsOf(Run(InOrder(all, 12)));
  const Batches run = Run(InOrder(all.Withdraw({9, 8, 0}).Withdraw(gone), 12));
  EXPECT_EQ(RecordsOf(run), Without(order, gone));
  EXPECT_EQ(run.back().state_after.counts.dropped, 12u);
  EXPECT_EQ(run.back().state_after.counts.records, 308u);
}

// Forecasts, and states that are found by arithmetic, leave them out, too.
TEST_F(WithdrawTest, EveryArrangerFindsItsStatesByArithmetic) {
  const Dataset all = Varied().Withdraw({1, 2, 50, 51, 52, 155});
  std::vector<Dataset> arranged = {
      all.Bucket({.by = "tokens", .lengths = {8, 16, 40}}),
      all.Bucket(
          {.by = "tokens", .lengths = {16, 30}, .too_long = TooLong::kDrop}),
      all.Pad({.by = "tokens", .multiple_of = 8, .max_length = 40}),
      all.Parse({{.name = "id", .length = 1}})};
  for (const PackKind kind :
       {PackKind::kFirstFit, PackKind::kBestFit, PackKind::kChunk}) {
    arranged.push_back(all.Pack({.by = "tokens", .length = 48, .kind = kind}));
  }
  for (const Leftover leftover : {Leftover::kPad, Leftover::kDrop}) {
    for (const Dataset& one : arranged) {
      const Dataset dataset = one.Batch({.size = 12, .leftover = leftover});
      const Batches run = Run(dataset);
      ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Compile(dataset, {}));
      if (pipeline.steps_per_epoch()) {
        EXPECT_EQ(2 * *pipeline.steps_per_epoch(), run.size());
      }
      for (const GlobalBatch& batch : run) {
        for (const uint64_t id : {1, 2, 50, 51, 52, 155}) {
          EXPECT_EQ(std::ranges::count(batch.record_ids, id), 0);
        }
        ASSERT_OK_AND_ASSIGN(const State state,
                             pipeline.StateAfter(batch.step + 1));
        EXPECT_EQ(state, batch.state_after) << pipeline.Explain();
      }
      ExpectResumes(dataset, run);
    }
  }
}

TEST_F(WithdrawTest, OnTheWayThoseThatCameStayAndNoneComesAgain) {
  const Dataset all = Varied();
  const RecordIds gone = {3, 4, 5, 60, 61, 62, 63, 120, 121};
  const Batches before = Run(InOrder(all, 12));
  const RecordIds order = RecordsOf(before);
  const Dataset now = InOrder(all.Withdraw(gone), 12);
  for (const size_t step : {1, 5, 13, 14, 20}) {
    const State& state = before[step - 1].state_after;
    ASSERT_OK_AND_ASSIGN(const Batches after,
                         GoOn(now, state, {Change::kWithdrawn}));
    const RecordIds had = RecordsOf(std::span(before).first(step));
    EXPECT_EQ(RecordsOf(after),
              Without(RecordIds(order.begin() +
                                    static_cast<std::ptrdiff_t>(had.size()),
                                order.end()),
                      gone));
    ExpectResumes(now, after);
  }
  EXPECT_THAT(GoOn(now, before[0].state_after, {Change::kBatches}),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("name Change::kWithdrawn in")));
}

// Also those that wait.
TEST_F(WithdrawTest, OneThatWaitsWhereItIsWithdrawnIsDropped) {
  const Dataset all = Varied();
  const auto bucketed = [](const Dataset& dataset) {
    return dataset.Bucket({.by = "tokens", .lengths = {8, 16, 24, 40}})
        .Batch({.size = 12});
  };
  const State state = Run(bucketed(all))[2].state_after;
  ASSERT_GT(state.held.size(), 3u);
  const uint64_t gone = state.held[1].record;
  ASSERT_OK_AND_ASSIGN(const Batches after, GoOn(bucketed(all.Withdraw({gone})),
                                                 state, {Change::kWithdrawn}));
  EXPECT_EQ(std::ranges::count(RecordsOf(after), gone), 0);
  // Once in each of two epochs.
  EXPECT_EQ(after.back().state_after.counts.dropped, 2u);
  EXPECT_EQ(after.back().state_after.counts.records, 318u);
}

TEST_F(WithdrawTest, WhatItCannotDoIsNamed) {
  const Dataset all = Varied();
  ExpectRefused(InOrder(all.Withdraw({160}), 12), StatusCode::kInvalidArgument,
                "Withdraw record 160, but there are only 160");
  ExpectRefused(InOrder(Dataset::Mix({{all.Withdraw({1})}, {all}}), 12),
                StatusCode::kInvalidArgument, "put it after Mix");
  EXPECT_THAT(
      RunAll(InOrder(all.Withdraw({1}), 12), {.force_streamed = true}),
      StatusIs(StatusCode::kInvalidArgument,
               HasSubstr("Withdraw is of planned pipelines, and this one is "
                         "streamed (asked for by force_streamed)")));
  EXPECT_THAT(Explained(InOrder(all.Withdraw({1, 2}), 12)),
              HasSubstr("withdraw  2 records, whose places stay empty, by a "
                        "table of 16 bytes"));
}

// A host's share is a run of its own, and these are of the whole one.
TEST_F(WithdrawTest, SharesOfHostsAreNamedWhereARunChangesOrLeavesOver) {
  const Dataset all = Varied();
  const auto shared = [](const Dataset& dataset, std::optional<State> state) {
    RunOptions options = {.shards = 12, .hosts = 2};
    options.restore = std::move(state);
    options.change = [](uint32_t, HostRun& run) {
      run.compile.shard_by = ShardBy::kRecord;
      run.compile.changed = {Change::kBatches};
    };
    return RunAll(dataset, options);
  };
  EXPECT_THAT(shared(InOrder(all.Withdraw({1}), 12), std::nullopt),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("Withdraw is of the rows of all")));
  EXPECT_THAT(shared(all.Bucket({.by = "tokens", .lengths = {40}})
                         .Batch({.size = 24, .leftover = Leftover::kCarry}),
                     std::nullopt),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("Leftover::kCarry is of")));
  EXPECT_THAT(
      shared(
          Read(Write(90, 5))
              .Pack({.by = "tokens", .length = 9, .kind = PackKind::kMegatron})
              .Batch({.size = 24}),
          std::nullopt),
      StatusIs(StatusCode::kInvalidArgument,
               HasSubstr("PackKind::kMegatron is of")));
  ASSERT_OK_AND_ASSIGN(const Batches run,
                       shared(InOrder(all, 24), std::nullopt));
  const State state = run.front().state_after;
  ASSERT_OK_AND_ASSIGN(const Batches rest, shared(InOrder(all, 24), state));
  EXPECT_EQ(rest, Batches(run.begin() + 1, run.end()));
  EXPECT_THAT(shared(InOrder(all, 24, 41), state),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("with shard_by a run cannot change")));
  EXPECT_THAT(shared(InOrder(all, 48), state),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("whose hosts feed other rows")));
}

}  // namespace
}  // namespace penstock::testing
