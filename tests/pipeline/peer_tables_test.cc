// What other libraries' tests say of buckets, padding and leftovers, as tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::ElementsAre;

class PeerTablesTest : public ::testing::Test {
 protected:
  Dataset Tokens(const std::vector<uint32_t>& lengths) {
    return Dataset::TfRecords(WriteDataset(folder_, lengths, {.files = 1}));
  }
  // The values that are real in each row, by batch.
  std::vector<std::vector<int32_t>> LengthsOf(const Dataset& dataset) {
    std::vector<std::vector<int32_t>> lengths;
    widths_.clear();
    masks_.clear();
    auto pipeline = Compile(dataset, {});
    EXPECT_OK(pipeline);
    for (;;) {
      const auto batch = pipeline->Next();
      EXPECT_OK(batch);
      if (!batch.ok() || !*batch) return lengths;
      widths_.push_back((*batch)->tensors[0].shape[1]);
      const auto values = (*batch)->tensors[1].values<int32_t>();
      lengths.emplace_back(values.begin(), values.end());
      const auto mask = (*batch)->tensors[2].values<float>();
      masks_.emplace_back(mask.begin(), mask.end());
    }
  }

  ScratchFolder folder_;
  std::vector<int64_t> widths_;
  std::vector<std::vector<float>> masks_;
};

// tf.data's bucket_by_sequence_length test: boundaries [10, 20, 30] with
// batches of 10, 8, 4 and 2 rows, the rest dropped. Boundaries are ends there,
// so that lengths that fit are 9, 19, 29; the last bucket has none.
TEST_F(PeerTablesTest, BucketsOfTenTwentyThirtyMakeFiveBatches) {
  std::vector<uint32_t> lengths(28, 8);
  lengths.insert(lengths.end(), 7, 13);
  lengths.insert(lengths.end(), 6, 25);
  lengths.insert(lengths.end(), 5, 35);
  const struct {
    int64_t rows;
    uint32_t length;
    int64_t width;
    size_t batches;
  } table[] = {{10, 8, 9, 2}, {8, 13, 19, 0}, {4, 25, 29, 1}, {2, 35, 35, 2}};
  for (const auto& row : table) {
    const auto batches =
        LengthsOf(Tokens(lengths)
                      .Bucket({.by = "tokens", .lengths = {9, 19, 29, 35}})
                      .Batch({.size = row.rows, .leftover = Leftover::kDrop}));
    size_t found = 0;
    for (size_t i = 0; i < batches.size(); ++i) {
      if (widths_[i] != row.width) continue;
      ++found;
      EXPECT_THAT(batches[i],
                  ::testing::Each(static_cast<int32_t>(row.length)));
    }
    EXPECT_EQ(found, row.batches) << row.length;
  }
}

// The same in one run, with rows for each length.
TEST_F(PeerTablesTest, BucketsWithRowsOfTheirOwnMakeTheSameBatches) {
  std::vector<uint32_t> lengths(28, 8);
  lengths.insert(lengths.end(), 7, 13);
  lengths.insert(lengths.end(), 6, 25);
  lengths.insert(lengths.end(), 5, 35);
  const auto batches = LengthsOf(Tokens(lengths)
                                     .Bucket({.by = "tokens",
                                              .lengths = {9, 19, 29, 35},
                                              .rows = {10, 8, 4, 2}})
                                     .Batch({.leftover = Leftover::kDrop}));
  using Rows = std::vector<int32_t>;
  EXPECT_THAT(batches, ElementsAre(Rows(10, 8), Rows(10, 8), Rows(4, 25),
                                   Rows(2, 35), Rows(2, 35)));
  EXPECT_THAT(widths_, ElementsAre(9, 9, 29, 35, 35));
}

// tf.data's padded_batch test: x values of x, for 1 to 4, two rows a batch.
TEST_F(PeerTablesTest, BatchesArePaddedToTheirLongestRow) {
  EXPECT_THAT(
      LengthsOf(Tokens({1, 2, 3, 4})
                    .Pad({.by = "tokens", .multiple_of = 1, .max_length = 4})
                    .Batch({.size = 2})),
      ElementsAre(ElementsAre(1, 2), ElementsAre(3, 4)));
  EXPECT_THAT(widths_, ElementsAre(2, 4));
}

// Grain's batch_and_pad of three rows to five, and the mask that it lacks.
TEST_F(PeerTablesTest, RowsThatPadHaveNoWeight) {
  LengthsOf(Tokens({1, 2, 3})
                .Bucket({.by = "tokens", .lengths = {3}})
                .Batch({.size = 5}));
  EXPECT_THAT(masks_, ElementsAre(ElementsAre(1, 1, 1, 0, 0)));
}

}  // namespace
}  // namespace penstock::testing
