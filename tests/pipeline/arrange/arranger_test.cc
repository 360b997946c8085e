#include "pipeline/arrange/arranger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "pipeline/batch.h"

namespace penstock {
namespace {

using ::testing::ElementsAre;

// A batch as "shape, rows"; -1 for rows that pad.
struct Emitted {
  size_t shape;
  std::vector<int64_t> rows;
  bool operator==(const Emitted&) const = default;
};

Emitted Of(const Assignment& assignment) {
  Emitted emitted = {assignment.shape, {}};
  for (const uint64_t row : assignment.rows) {
    emitted.rows.push_back(row == kNoRecord ? -1 : static_cast<int64_t>(row));
  }
  return emitted;
}

// Adds row i with lengths[i] to shard i % shards, then flushes.
std::vector<Emitted> Arrange(ArrangeOptions options,
                             const std::vector<uint32_t>& lengths) {
  const uint32_t shards = options.shards;
  Arranger arranger(std::move(options));
  std::vector<Emitted> emitted;
  Assignment assignment;
  for (size_t i = 0; i < lengths.size(); ++i) {
    arranger.Add(i % shards, {i, lengths[i]});
    if (arranger.Due(assignment)) emitted.push_back(Of(assignment));
  }
  while (arranger.Flush(assignment)) emitted.push_back(Of(assignment));
  return emitted;
}

// Lengths 1..10 in buckets whose boundaries are those of TensorFlow's
// bucket_by_sequence_length_test.py, [3, 7, 11], which are ends: a row of
// length 3 goes to the second there. Ours are lengths that fit: 2, 6, 10.
TEST(ArrangerTest, TensorFlowsReferenceRowsGoTogether) {
  EXPECT_THAT(
      Arrange({.rows_per_shard = 2, .lengths = {2, 6, 10}},
              {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}),
      ElementsAre(Emitted{0, {0, 1}}, Emitted{1, {2, 3}}, Emitted{1, {4, 5}},
                  Emitted{2, {6, 7}}, Emitted{2, {8, 9}}));
}

TEST(ArrangerTest, RowsFitALengthThatIsNoLessThanTheirs) {
  Arranger arranger({.lengths = {4, 8}});
  EXPECT_EQ(arranger.QueueOf(0), 0u);
  EXPECT_EQ(arranger.QueueOf(4), 0u);
  EXPECT_EQ(arranger.QueueOf(5), 1u);
  EXPECT_EQ(arranger.QueueOf(8), 1u);
  EXPECT_EQ(arranger.QueueOf(9), std::nullopt);
}

TEST(ArrangerTest, LongRowsFollowThePolicy) {
  const auto place = [](TooLong too_long) {
    Arranger arranger({.lengths = {4, 8}, .too_long = too_long});
    return arranger.Add(0, {.number = 0, .length = 9});
  };
  EXPECT_EQ(place(TooLong::kError), Placing::kTooLong);
  EXPECT_EQ(place(TooLong::kDrop), Placing::kDropped);
  EXPECT_EQ(place(TooLong::kTruncate), Placing::kTruncated);
}

TEST(ArrangerTest, CutRowsGoToTheLongestBucket) {
  EXPECT_THAT(Arrange({.rows_per_shard = 1,
                       .lengths = {4, 8},
                       .too_long = TooLong::kTruncate},
                      {99}),
              ElementsAre(Emitted{1, {0}}));
}

TEST(ArrangerTest, PaddedBatchesAreAsLongAsTheirLongestRow) {
  EXPECT_THAT(
      Arrange({.rows_per_shard = 2, .lengths = {4, 8, 12}, .one_queue = true},
              {1, 4, 1, 5, 12, 1, 0, 0, 3}),
      ElementsAre(Emitted{0, {0, 1}}, Emitted{1, {2, 3}}, Emitted{2, {4, 5}},
                  Emitted{0, {6, 7}}, Emitted{0, {8, -1}}));
}

TEST(ArrangerTest, ABatchWaitsUntilEveryShardHasItsRows) {
  Arranger arranger({.shards = 2, .rows_per_shard = 2, .lengths = {4}});
  Assignment assignment;
  for (const uint64_t row : {0, 1, 2}) {
    arranger.Add(0, {row, 1});
    EXPECT_FALSE(arranger.Due(assignment));
  }
  arranger.Add(1, {3, 1});
  EXPECT_FALSE(arranger.Due(assignment));
  arranger.Add(1, {4, 1});
  ASSERT_TRUE(arranger.Due(assignment));
  EXPECT_EQ(Of(assignment), (Emitted{0, {0, 1, 3, 4}}));
  EXPECT_THAT(arranger.PendingNumbers(), ElementsAre(2));
}

TEST(ArrangerTest, EpochsEndWithBucketsInRisingOrder) {
  EXPECT_THAT(
      Arrange({.shards = 2, .rows_per_shard = 2, .lengths = {4, 8}},
              {8, 1, 8, 8, 2}),
      ElementsAre(Emitted{0, {4, -1, 1, -1}}, Emitted{1, {0, 2, 3, -1}}));
}

// Shard 0 gets only short rows and shard 1 only long ones: no batch would ever
// be due, so memory needs the limit.
TEST(ArrangerTest, FullestQueueIsForcedOutPastTheRowLimit) {
  Arranger arranger(
      {.shards = 2, .rows_per_shard = 2, .lengths = {4, 8}, .row_limit = 3});
  Assignment assignment;
  std::vector<Emitted> emitted;
  uint64_t most = 0;
  for (uint64_t row = 0; row < 14; ++row) {
    arranger.Add(row % 2, {row, row % 2 == 0 ? 1u : 8u});
    if (arranger.Due(assignment)) emitted.push_back(Of(assignment));
    most = std::max(most, arranger.pending_rows());
  }
  ASSERT_FALSE(emitted.empty());
  EXPECT_EQ(emitted[0], (Emitted{0, {0, 2, -1, -1}}));
  EXPECT_EQ(emitted[1], (Emitted{1, {-1, -1, 1, 3}}));
  EXPECT_LE(most, 7u);
}

TEST(ArrangerTest, FullBatchesComeAgainAfterAForcedOne) {
  Arranger arranger(
      {.shards = 2, .rows_per_shard = 2, .lengths = {4}, .row_limit = 3});
  Assignment assignment;
  for (uint64_t row = 0; row < 3; ++row) {
    arranger.Add(0, {row, 1});
    ASSERT_FALSE(arranger.Due(assignment));
  }
  arranger.Add(0, {3, 1});
  ASSERT_TRUE(arranger.Due(assignment));
  EXPECT_EQ(Of(assignment), (Emitted{0, {0, 1, -1, -1}}));
  arranger.Add(1, {4, 1});
  ASSERT_FALSE(arranger.Due(assignment));
  arranger.Add(1, {5, 1});
  ASSERT_TRUE(arranger.Due(assignment));
  EXPECT_EQ(Of(assignment), (Emitted{0, {2, 3, 4, 5}}));
}

TEST(ArrangerTest, RowsOfAQueueStayInOrder) {
  std::vector<uint32_t> lengths;
  for (uint32_t i = 0; i < 500; ++i) lengths.push_back(i * i % 8 + 1);
  std::vector<int64_t> last(2, -1);
  for (const Emitted& batch :
       Arrange({.rows_per_shard = 5, .lengths = {4, 8}}, lengths)) {
    for (const int64_t row : batch.rows) {
      if (row == -1) continue;
      EXPECT_GT(row, last[batch.shape]);
      last[batch.shape] = row;
    }
  }
}

}  // namespace
}  // namespace penstock
