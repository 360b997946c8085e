// Buckets of two features at once, as encoder and decoder have them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "pipeline/derive.h"
#include "pipeline/objective.h"
#include "pipeline/trace.h"
#include "tests/pipeline/graph/views_fixture.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr uint64_t kPairs = 300;

class BucketPairsTest : public ViewsTest {
 protected:
  BucketPairsTest()
      : inputs_(WriteDataset(folder_, input_lengths_)),
        targets_(WriteDataset(other_folder_, target_lengths_, {.files = 2})) {}

  // id, tokens, targets.
  Dataset Pairs() const {
    return Dataset::Zip({Read(inputs_).Parse({kId, kTokens}),
                         Read(targets_).Parse({kTokens}).Rename(
                             {.from = "tokens", .to = "targets"})});
  }
  static BucketOptions Cells() {
    return {.by = "tokens",
            .lengths = kInputs,
            .pad_value = -1,
            .with = {{.by = "targets", .lengths = kTargets, .pad_value = -2}}};
  }
  static Dataset Arranged(const Dataset& dataset,
                          BucketOptions bucket = Cells(),
                          BatchOptions batch = {.size = 8}) {
    return dataset.Bucket(std::move(bucket)).Batch(batch);
  }
  // Which pair of lengths a record is in, by hand.
  size_t CellOf(uint64_t record) const {
    size_t input = 0;
    size_t target = 0;
    while (input_lengths_[record] > kInputs[input]) ++input;
    while (target_lengths_[record] > kTargets[target]) ++target;
    return input * kTargets.size() + target;
  }
  void ExpectRefusedBucket(BucketOptions bucket, const std::string& words,
                           BatchOptions batch = {.size = 8}) const {
    ExpectRefused(Arranged(Pairs(), std::move(bucket), batch),
                  StatusCode::kInvalidArgument, words);
  }

  static inline const std::vector<int64_t> kInputs = {4, 9, 20};
  static inline const std::vector<int64_t> kTargets = {3, 12};
  const std::vector<uint32_t> input_lengths_ = RandomLengths(kPairs, 20, 1);
  const std::vector<uint32_t> target_lengths_ = RandomLengths(kPairs, 12, 2);
  ScratchFolder folder_;
  ScratchFolder other_folder_;
  const std::string inputs_;
  const std::string targets_;
};

// tf.data's bucket_by_sequence_length with a pair for each bucket: one that is
// full is a batch, and what is left comes at the end.
TEST_F(BucketPairsTest, AFullPairOfBucketsIsABatch) {
  std::vector<std::vector<uint64_t>> expected;
  std::map<size_t, std::vector<uint64_t>> waiting;
  for (uint64_t record = 0; record < kPairs; ++record) {
    std::vector<uint64_t>& cell = waiting[CellOf(record)];
    cell.push_back(record);
    if (cell.size() == 8) expected.push_back(std::exchange(cell, {}));
  }
  for (auto& [cell, rows] : waiting) {
    if (rows.empty()) continue;
    rows.resize(8, kNoRecord);
    expected.push_back(rows);
  }
  ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(Arranged(Pairs())));
  std::vector<std::vector<uint64_t>> found;
  for (const GlobalBatch& batch : batches) found.push_back(batch.record_ids);
  EXPECT_EQ(found, expected);
}

TEST_F(BucketPairsTest, EachFeatureIsAsLongAsItsBucket) {
  ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(Arranged(Pairs())));
  for (const GlobalBatch& batch : batches) {
    for (const bool target : {false, true}) {
      const size_t t = target ? 3 : 1;
      const size_t width = batch.tensors[t].size() / 4 / 8;
      ASSERT_EQ(width, static_cast<size_t>(target ? kTargets[batch.shape % 2]
                                                  : kInputs[batch.shape / 2]));
      const auto values = ValuesOf<int32_t>(batch.tensors[t]);
      const auto counts = ValuesOf<int32_t>(batch.tensors[t + 1]);
      for (size_t row = 0; row < 8; ++row) {
        const uint64_t id = batch.record_ids[row];
        uint32_t real = 0;
        if (id != kNoRecord) {
          ASSERT_EQ(CellOf(id), batch.shape);
          real = (target ? target_lengths_ : input_lengths_)[id];
        }
        ASSERT_EQ(counts[row], static_cast<int32_t>(real));
        for (size_t j = 0; j < width; ++j) {
          ASSERT_EQ(values[row * width + j],
                    j < real ? TokenOf(id, j) : (target ? -2 : -1));
        }
      }
    }
  }
}

TEST_F(BucketPairsTest, PlannedStreamedAndResumedAreTheSameRunOnAnyHosts) {
  const Dataset dataset =
      Arranged(Pairs().Shuffle({.seed = 5}).Repeat({.epochs = 2}));
  ASSERT_OK_AND_ASSIGN(const auto expected, RunAll(dataset));
  ASSERT_OK_AND_ASSIGN(
      const auto streamed,
      RunAll(dataset, {.shards = 4, .hosts = 4, .force_streamed = true}));
  EXPECT_EQ(streamed, expected);
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Compile(dataset, {}));
  for (const size_t done : {1u, 33u, 60u}) {
    ASSERT_OK_AND_ASSIGN(const State state, pipeline.StateAfter(done));
    EXPECT_EQ(state, expected[done - 1].state_after);
    ASSERT_OK_AND_ASSIGN(const auto rest,
                         RunAll(dataset, {.shards = 2,
                                          .hosts = 2,
                                          .force_streamed = done == 33,
                                          .restore = state}));
    EXPECT_EQ(rest, std::vector(expected.begin() + static_cast<long>(done),
                                expected.end()));
  }
}

TEST_F(BucketPairsTest, RowsAndLeftoversAreOfEachPair) {
  BucketOptions bucket = Cells();
  bucket.rows = {24, 16, 12, 10, 8, 4};
  bucket.leftovers = {Leftover::kDrop, Leftover::kPad, Leftover::kPad,
                      Leftover::kDrop, Leftover::kPad, Leftover::kDrop};
  std::vector<uint64_t> expected(6);
  for (uint64_t id = 0; id < kPairs; ++id) ++expected[CellOf(id)];
  for (size_t cell = 0; cell < 6; ++cell) {
    if (bucket.leftovers[cell] == Leftover::kPad) continue;
    expected[cell] -= expected[cell] % static_cast<uint64_t>(bucket.rows[cell]);
  }
  ASSERT_OK_AND_ASSIGN(const auto batches,
                       RunAll(Arranged(Pairs(), bucket, {})));
  std::vector<uint64_t> found(6);
  for (const GlobalBatch& batch : batches) {
    EXPECT_EQ(batch.record_ids.size(),
              static_cast<size_t>(bucket.rows[batch.shape]));
    for (const uint64_t id : batch.record_ids) {
      if (id != kNoRecord) ++found[batch.shape];
    }
  }
  EXPECT_EQ(found, expected);
  EXPECT_THAT(Explained(Arranged(Pairs(), bucket, {})),
              HasSubstr("of length 4 x 3 left out, of length 4 x 12 filled"));
}

TEST_F(BucketPairsTest, RowsFollowFromTheValuesOfABatch) {
  BucketOptions bucket = Cells();
  bucket.batch_values = 200;
  bucket.rows_multiple_of = 4;
  // 200 by 7 is 28, by 16 is 12, by 12 is 16, by 21 is 9, by 23 is 8, by 32: 6.
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline,
                       Compile(Arranged(Pairs(), bucket, {}), {}));
  EXPECT_EQ(pipeline.contract().shape_rows,
            (std::vector<int64_t>{28, 12, 16, 8, 8, 4}));
  bucket.rows = {1, 1, 1, 1, 1, 1};
  ExpectRefusedBucket(bucket, "Bucket with batch_values of 200", {});
}

// What T5 does with {inputs: 6, targets: 5}: one shape, both cut and padded.
TEST_F(BucketPairsTest, OneLengthOfEachCutsAndPadsBoth) {
  const BucketOptions bucket = {.by = "tokens",
                                .lengths = {6},
                                .too_long = TooLong::kTruncate,
                                .with = {{.by = "targets", .lengths = {5}}}};
  ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(Arranged(Pairs(), bucket)));
  ASSERT_EQ(batches.size(), (kPairs + 7) / 8);
  for (const GlobalBatch& batch : batches) {
    EXPECT_EQ(batch.tensors[1].size(), 8u * 6 * 4);
    EXPECT_EQ(batch.tensors[3].size(), 8u * 5 * 4);
    const auto inputs = ValuesOf<int32_t>(batch.tensors[2]);
    const auto targets = ValuesOf<int32_t>(batch.tensors[4]);
    for (size_t row = 0; row < 8; ++row) {
      const uint64_t id = batch.record_ids[row];
      if (id == kNoRecord) continue;
      EXPECT_EQ(inputs[row],
                static_cast<int32_t>(std::min(input_lengths_[id], 6u)));
      EXPECT_EQ(targets[row],
                static_cast<int32_t>(std::min(target_lengths_[id], 5u)));
    }
  }
}

TEST_F(BucketPairsTest, ARowIsTooLongWhereOneOfBothIs) {
  BucketOptions bucket = Cells();
  bucket.with[0].lengths = {3, 6};
  for (const bool streamed : {false, true}) {
    EXPECT_THAT(
        RunAll(Arranged(Pairs(), bucket), {.force_streamed = streamed}),
        StatusIs(StatusCode::kInvalidArgument,
                 HasSubstr("a feature has more values than its longest length "
                           "(20 of \"tokens\", 6 of \"targets\")")));
  }
  bucket.too_long = TooLong::kDrop;
  std::vector<uint64_t> expected;
  for (uint64_t id = 0; id < kPairs; ++id) {
    if (target_lengths_[id] <= 6) expected.push_back(id);
  }
  ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(Arranged(Pairs(), bucket)));
  EXPECT_EQ(RealIds(batches), expected);
  EXPECT_EQ(batches.back().state_after.counts.dropped,
            kPairs - expected.size());
}

TEST_F(BucketPairsTest, ExplainForecastsEachPairAndItsPadding) {
  std::vector<uint64_t> rows(6);
  double real = 0;
  for (uint64_t id = 0; id < kPairs; ++id) {
    ++rows[CellOf(id)];
    real += input_lengths_[id] + target_lengths_[id];
  }
  uint64_t steps = 0;
  double all = 0;
  for (size_t cell = 0; cell < 6; ++cell) {
    const uint64_t of_cell = (rows[cell] + 7) / 8;
    steps += of_cell;
    all += static_cast<double>(of_cell * 8) *
           static_cast<double>(kInputs[cell / 2] + kTargets[cell % 2]);
  }
  const std::string text = Explained(Arranged(Pairs()));
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("with the lengths of \"tokens\" and \"targets\""),
            HasSubstr("lengths 4, 9, 20 and by targets, lengths 3, 12"),
            HasSubstr("targets: int32 [8, 3 | 12 | 3 | 12 | 3 | 12], pad -2"),
            HasSubstr("rows in 9 x 12: " + std::to_string(rows[3]) + "\n"),
            HasSubstr("epoch: " + std::to_string(steps) + " steps"),
            HasSubstr("1200 bytes  which pair of lengths each record has")));
  const int tenths = static_cast<int>(1000 * (1 - real / all) + 0.5);
  EXPECT_THAT(text,
              HasSubstr(std::to_string(tenths / 10) + "." +
                        std::to_string(tenths % 10) + " % of all values"));
}

TEST_F(BucketPairsTest, WhatIsDerivedIsAsLongAsItsFeature) {
  const Dataset dataset = Pairs()
                              .Derive({Labels("targets"), Positions("tokens"),
                                       SegmentLengths("targets", 2)})
                              .Bucket(Cells())
                              .Batch({.size = 8});
  ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(dataset));
  for (const GlobalBatch& batch : batches) {
    const auto labels = ValuesOf<int32_t>(batch.tensors[5]);
    const auto width = static_cast<size_t>(kTargets[batch.shape % 2]);
    ASSERT_EQ(labels.size(), 8 * width);
    ASSERT_EQ(batch.tensors[6].size(), batch.tensors[1].size());
    ASSERT_EQ(batch.tensors[7].size(), 8u * 2 * 4);
    for (size_t row = 0; row < 8; ++row) {
      const uint64_t id = batch.record_ids[row];
      if (id == kNoRecord) continue;
      for (uint32_t j = 0; j < width; ++j) {
        ASSERT_EQ(labels[row * width + j],
                  j + 1 < target_lengths_[id] ? TokenOf(id, j + 1) : -100);
      }
    }
  }
}

TEST_F(BucketPairsTest, ATraceTellsLengthsOfTheFirstFeature) {
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Compile(Arranged(Pairs()), {}));
  ASSERT_OK_AND_ASSIGN(const StepTrace trace, pipeline.Trace(3));
  ASSERT_EQ(trace.pieces.size(), 8u);
  for (const TracedPiece& piece : trace.pieces) {
    EXPECT_EQ(piece.length, input_lengths_[piece.record]);
  }
}

TEST_F(BucketPairsTest, AStateIsOfTheSamePairsOfLengths) {
  BucketOptions other = Cells();
  other.with[0].lengths = {4, 12};
  EXPECT_THAT(
      Restored(Arranged(Pairs()), Arranged(Pairs(), other)),
      StatusIs(StatusCode::kFailedPrecondition, HasSubstr("Bucket differs")));
  other = Cells();
  other.with[0].pad_value = -3;
  EXPECT_THAT(
      Restored(Arranged(Pairs()), Arranged(Pairs(), other)),
      StatusIs(StatusCode::kFailedPrecondition, HasSubstr("Bucket differs")));
}

TEST_F(BucketPairsTest, WhatDoesNotGoTogetherIsRefusedWithAReason) {
  const auto with = [&](const BucketFeature& feature) {
    BucketOptions bucket = Cells();
    bucket.with = {feature};
    return bucket;
  };
  ExpectRefusedBucket(with({.by = "nothing", .lengths = {3}}),
                      "Bucket by \"nothing\", but the features are");
  ExpectRefusedBucket(with({.by = "id", .lengths = {3}}),
                      "Bucket by \"id\", which always has 1 values");
  ExpectRefusedBucket(with({.by = "tokens", .lengths = {3}}),
                      "Bucket by \"tokens\" twice");
  ExpectRefusedBucket(with({.by = "targets", .lengths = {}}),
                      "give the lengths of each");
  ExpectRefusedBucket(with({.by = "targets", .lengths = {3, 3}}),
                      "must be positive and rise");
  const std::vector<int64_t> two_thousand = [] {
    std::vector<int64_t> lengths(2000);
    for (size_t i = 0; i < lengths.size(); ++i) {
      lengths[i] = static_cast<int64_t>(i + 1);
    }
    return lengths;
  }();
  ExpectRefusedBucket(with({.by = "targets", .lengths = two_thousand}),
                      "makes more than 4096 pairs of lengths");
  BucketOptions merged = Cells();
  merged.merge_leftovers = true;
  ExpectRefusedBucket(merged, "pairs of lengths are not longer or shorter");
  BucketOptions cut = Cells();
  cut.too_long = TooLong::kTruncate;
  ExpectRefused(
      Arranged(Pairs().Objective(SpanCorruption{.sentinel = 99, .eos = 1}),
               cut),
      kInvalid, "SpanCorruption of rows that Bucket by several");
  BucketOptions rows = Cells();
  rows.rows = {8, 8, 8};
  ExpectRefusedBucket(rows, "Bucket has 6 lengths and the rows of 3 batches",
                      {});
}

}  // namespace
}  // namespace penstock::testing
