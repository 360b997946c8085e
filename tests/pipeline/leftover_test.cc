// Rows that fill no batch at the end of an epoch: by length, merged, carried
// on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "pipeline/arrange/leftovers.h"
#include "tests/pipeline/lineage_fixture.h"

namespace penstock::testing {
namespace {

using ::testing::HasSubstr;

TEST(MergeLeftoversTest, RowsJoinTheFirstLongerBatchThatHasRoomForAll) {
  const ArrangeOptions options = {
      .rows = 12, .lengths = {1, 2, 3, 4}, .merge_leftovers = true};
  const auto merged = [&](std::vector<uint64_t> rows) {
    return MergeLeftovers(std::move(rows), std::vector<size_t>{0, 1, 2, 3},
                          options);
  };
  using Into = std::vector<size_t>;
  EXPECT_EQ(merged({3, 0, 9, 1}), (Into{2, 1, 2, 3}));
  EXPECT_EQ(merged({3, 10, 8, 1}), (Into{2, 3, 2, 3}));
  EXPECT_EQ(merged({3, 10, 10, 0}), (Into{0, 1, 2, 3}));
  EXPECT_EQ(merged({1, 2, 3, 4}), (Into{3, 3, 3, 3}));
  EXPECT_EQ(merged({5, 0, 0, 0}), (Into{0, 1, 2, 3}));
}

class LeftoverTest : public LineageTest {
 protected:
  LeftoverTest() : lengths_(RandomLengths(165, 40, 3)) {
    folders_.push_back(std::make_unique<ScratchFolder>());
    all_ = Read(WriteDataset(*folders_.back(), lengths_))
               .Shuffle({.seed = 1})
               .Repeat({.epochs = 3});
  }
  static Dataset Bucketed(const Dataset& dataset,
                          std::vector<Leftover> leftovers, bool merge,
                          Leftover all = Leftover::kPad) {
    return dataset
        .Bucket({.by = "tokens",
                 .lengths = {8, 16, 24, 40},
                 .leftovers = std::move(leftovers),
                 .merge_leftovers = merge})
        .Batch({.size = 12, .leftover = all});
  }
  // Rows left of each length, in any epoch.
  std::vector<uint64_t> Left() const {
    std::vector<uint64_t> left(4);
    for (const uint32_t length : lengths_) {
      ++left[length <= 8 ? 0 : length <= 16 ? 1 : length <= 24 ? 2 : 3];
    }
    for (uint64_t& rows : left) rows %= 12;
    return left;
  }
  // States and figures that are told ahead are those of the run.
  static void ExpectForeseen(const Dataset& dataset, const Batches& run) {
    ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Compile(dataset, {}));
    if (pipeline.steps_per_epoch()) {
      EXPECT_EQ(3 * *pipeline.steps_per_epoch(), run.size());
    }
    for (const GlobalBatch& batch : run) {
      ASSERT_OK_AND_ASSIGN(const State state,
                           pipeline.StateAfter(batch.step + 1));
      EXPECT_EQ(state, batch.state_after);
    }
    ExpectResumes(dataset, run);
  }

  std::vector<uint32_t> lengths_;
  Dataset all_ = Read("");
};

TEST_F(LeftoverTest, EachLengthHasItsOwn) {
  const std::vector<uint64_t> left = Left();
  ASSERT_GT(std::ranges::min(left), 0u);
  using enum Leftover;
  const Dataset dataset = Bucketed(all_, {kPad, kDrop, kPad, kDrop}, false);
  const Batches run = Run(dataset);
  const PipelineCounts& counts = run.back().state_after.counts;
  EXPECT_EQ(counts.pad_rows, 3 * (24 - left[0] - left[2]));
  // Those of the last epoch are dropped behind its last step.
  EXPECT_EQ(counts.dropped, 2 * (left[1] + left[3]));
  EXPECT_EQ(counts.records, 3 * (165 - left[1] - left[3]));
  ExpectForeseen(dataset, run);
  ExpectRefused(Bucketed(all_, {kPad, kDrop, kError, kDrop}, false),
                StatusCode::kFailedPrecondition, "rows of length 24 do not");
}

TEST_F(LeftoverTest, MergedOnesTakeFewerStepsAndPadLess) {
  for (const auto& leftovers :
       {std::vector<Leftover>(),
        std::vector<Leftover>{Leftover::kPad, Leftover::kDrop, Leftover::kPad,
                              Leftover::kPad}}) {
    const Dataset apart = Bucketed(all_, leftovers, false);
    const Dataset merged = Bucketed(all_, leftovers, true);
    const Batches before = Run(apart);
    const Batches after = Run(merged);
    RecordIds ids = RecordsOf(after);
    RecordIds same = RecordsOf(before);
    std::ranges::sort(ids);
    std::ranges::sort(same);
    EXPECT_EQ(ids, same);
    EXPECT_LT(after.size(), before.size());
    EXPECT_LT(after.back().state_after.counts.pad_rows,
              before.back().state_after.counts.pad_rows);
    ExpectForeseen(merged, after);
    RunOptions streamed = {.force_streamed = true};
    ASSERT_OK_AND_ASSIGN(const Batches same_batches, RunAll(merged, streamed));
    EXPECT_EQ(same_batches, after);
  }
}

// One length after the other, into one batch.
TEST_F(LeftoverTest, WhatJoinedALengthGoesOnWithIt) {
  folders_.push_back(std::make_unique<ScratchFolder>());
  const Dataset dataset = Bucketed(
      Read(WriteDataset(*folders_.back(), {1, 9, 10, 17, 18, 19, 30, 31, 32}))
          .Repeat({.epochs = 3}),
      {}, true);
  const Batches run = Run(dataset);
  EXPECT_EQ(run.size(), 3u);
  EXPECT_EQ(run.back().state_after.counts.pad_rows, 3 * 3u);
  ExpectForeseen(dataset, run);
}

TEST_F(LeftoverTest, CarriedOnesComeInTheNextEpoch) {
  using enum Leftover;
  for (const auto& dataset :
       {Bucketed(all_, {}, false, kCarry),
        Bucketed(all_, {kCarry, kPad, kCarry, kDrop}, false),
        all_.Pack({.by = "tokens", .length = 48})
            .Batch({.size = 12, .leftover = kCarry}),
        all_.Pack({.by = "tokens", .length = 48, .kind = PackKind::kChunk})
            .Batch({.size = 12, .leftover = kCarry}),
        all_.Pad({.by = "tokens", .multiple_of = 8, .max_length = 40})
            .Batch({.size = 12, .leftover = kCarry})}) {
    const Batches run = Run(dataset);
    ExpectForeseen(dataset, run);
  }
  const std::vector<uint64_t> left = Left();
  const Batches run = Run(Bucketed(all_, {}, false, kCarry));
  RecordIds ids = RecordsOf(run);
  std::ranges::sort(ids);
  ASSERT_EQ(ids.size(), 3 * 165u);
  for (size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids[i], i / 3);
  uint64_t pads = 0;
  for (const uint64_t rows : left) pads += (12 - 3 * rows % 12) % 12;
  EXPECT_EQ(run.back().state_after.counts.pad_rows, pads);
}

TEST_F(LeftoverTest, ExplainTellsTheFirstEpochOfThoseThatCarry) {
  folders_.push_back(std::make_unique<ScratchFolder>());
  const Dataset five =
      Read(WriteDataset(*folders_.back(), std::vector<uint32_t>(5, 9)));
  using enum Leftover;
  for (const auto& leftovers :
       {std::vector<Leftover>(), std::vector<Leftover>(4, Leftover::kCarry)}) {
    const Leftover all = leftovers.empty() ? kCarry : kPad;
    const Dataset twice = five.Repeat({.epochs = 2});
    EXPECT_THAT(Explained(Bucketed(twice, leftovers, false, all)),
                HasSubstr("first epoch: 0 steps, 0 rows of padding"));
    // What is carried to the end of the run pads.
    EXPECT_THAT(Explained(Bucketed(five, leftovers, false, all)),
                HasSubstr("first epoch: 1 steps, 7 rows of padding"));
  }
}

TEST_F(LeftoverTest, WhatDoesNotGoTogetherIsNamed) {
  using enum Leftover;
  ExpectRefused(Bucketed(all_, {kPad, kDrop}, false),
                StatusCode::kInvalidArgument, "leftovers of 2");
  ExpectRefused(Bucketed(all_, {kPad, kPad, kPad, kDrop}, false, kDrop),
                StatusCode::kInvalidArgument,
                "leave out BatchOptions::leftover");
  ExpectRefused(Bucketed(all_, {}, true, kDrop), StatusCode::kInvalidArgument,
                "leave out merge_leftovers");
  EXPECT_THAT(
      RunAll(Bucketed(all_, {}, false, kCarry), {.force_streamed = true}),
      StatusIs(StatusCode::kInvalidArgument,
               HasSubstr("Leftover::kCarry is of planned")));
  EXPECT_THAT(
      Explained(Bucketed(all_, {kPad, kDrop, kCarry, kPad}, true)),
      HasSubstr("leftovers are of length 8 filled with rows of weight 0, of "
                "length 16 left out, of length 24 carried into the next epoch, "
                "of length 40 filled with rows of weight 0, in batches of "
                "longer rows where these have room"));
}

}  // namespace
}  // namespace penstock::testing
