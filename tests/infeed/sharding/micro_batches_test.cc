// The table is of a global batch of 32 rows on 4 hosts, in two parts.
#include "infeed/sharding/micro_batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::kInvalid;
using ::penstock::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(MicroBatchesTest, BlockedPartsTakeABlockOfEachHost) {
  ASSERT_OK_AND_ASSIGN(const MicroBatches parts,
                       PlanMicroBatches(32, 4, 2, MicroBatchLayout::kBlocked));
  EXPECT_EQ(parts.rows_of_part(), 16);
  EXPECT_THAT(parts.RowsOf(0), ElementsAre(0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18,
                                           19, 24, 25, 26, 27));
}

TEST(MicroBatchesTest, StridedPartsTakeEveryNthRow) {
  ASSERT_OK_AND_ASSIGN(const MicroBatches parts,
                       PlanMicroBatches(32, 4, 2, MicroBatchLayout::kStrided));
  for (const int64_t k : {0, 1}) {
    for (const int64_t row : parts.RowsOf(k)) EXPECT_EQ(row % 2, k);
    EXPECT_EQ(parts.RowsOf(k).size(), 16u);
  }
}

TEST(MicroBatchesTest, ContiguousPartsWouldLeaveHostsIdle) {
  EXPECT_THAT(
      PlanMicroBatches(32, 4, 2, MicroBatchLayout::kContiguous),
      StatusIs(kInvalid, HasSubstr("part 0 is rows [0, 16), which 2 of 4 "
                                   "shards have; the others would wait")));
  EXPECT_OK(PlanMicroBatches(32, 1, 2, MicroBatchLayout::kContiguous).status());
  EXPECT_OK(PlanMicroBatches(32, 4, 1, MicroBatchLayout::kContiguous).status());
}

TEST(MicroBatchesTest, PartsAreEqualOrRefused) {
  const auto plan = [](int64_t rows, uint32_t shards, int64_t count) {
    return PlanMicroBatches(rows, shards, count, MicroBatchLayout::kBlocked);
  };
  EXPECT_OK(plan(24, 4, 3).status());
  EXPECT_THAT(plan(32, 4, 3),
              StatusIs(kInvalid, HasSubstr("a multiple of 4 x 3")));
  EXPECT_THAT(plan(30, 4, 1), StatusIs(kInvalid, HasSubstr("multiple of 4")));
  EXPECT_THAT(plan(32, 4, 0), StatusIs(kInvalid, HasSubstr("at least one")));
}

// A device's rows of a matrix, and a strided view of its columns.
TEST(MicroBatchesTest, PartsAreViews) {
  const TensorSpec spec{.name = "tokens"};
  std::vector<int32_t> values(8 * 4);
  std::iota(values.begin(), values.end(), 0);
  const TensorView dense{.spec = &spec,
                         .shape = {8, 4},
                         .bytes = std::as_bytes(std::span(values))};
  TensorView columns = dense;
  columns.shape = {8, 2};
  columns.strides_bytes = {16, 4};
  columns.bytes = columns.bytes.first(7 * 16 + 8);
  for (const auto layout :
       {MicroBatchLayout::kBlocked, MicroBatchLayout::kStrided}) {
    ASSERT_OK_AND_ASSIGN(const MicroBatches parts,
                         PlanMicroBatches(8, 1, 4, layout));
    for (const TensorView& tensor : {dense, columns}) {
      for (int64_t k = 0; k < 4; ++k) {
        const TensorView part = parts.ViewOf(tensor, k);
        std::vector<int32_t> got(part.packed_bytes() / 4);
        part.PackTo(std::as_writable_bytes(std::span(got)));
        std::vector<int32_t> want;
        for (const int64_t row : parts.RowsOf(k)) {
          for (int64_t c = 0; c < tensor.shape[1]; ++c) {
            want.push_back(static_cast<int32_t>(row * 4 + c));
          }
        }
        EXPECT_EQ(got, want) << MicroBatchLayoutName(layout) << " part " << k;
      }
    }
  }
}

TEST(MicroBatchesTest, BlockedPartsOfDenseRowsStayDense) {
  const TensorSpec spec{.name = "weights", .type = ElementType::kFloat32};
  const std::vector<float> values = {1, 2, 3, 4};
  const TensorView view{
      .spec = &spec, .shape = {4}, .bytes = std::as_bytes(std::span(values))};
  ASSERT_OK_AND_ASSIGN(const MicroBatches parts,
                       PlanMicroBatches(4, 1, 2, MicroBatchLayout::kBlocked));
  EXPECT_TRUE(parts.ViewOf(view, 1).dense());
  EXPECT_THAT(parts.ViewOf(view, 1).values<float>(), ElementsAre(3, 4));
}

// An attention mask [batch, 1, 1, length], and one as large as the scores.
TEST(BroadcastTest, MasksAreRepeatedWithoutCopies) {
  const TensorSpec spec{.name = "mask"};
  const std::vector<int32_t> values = {1, 0, 1, 1};
  const TensorView mask{.spec = &spec,
                        .shape = {2, 2},
                        .bytes = std::as_bytes(std::span(values))};
  const TensorView ones = BroadcastBetween(mask, {1, 1});
  EXPECT_THAT(ones.shape, ElementsAre(2, 1, 1, 2));
  EXPECT_THAT(ones.strides_bytes, ElementsAre(8, 0, 0, 4));
  EXPECT_EQ(ones.bytes.data(), mask.bytes.data());
  const TensorView scores = BroadcastBetween(mask, {1, 3});
  std::vector<int32_t> packed(scores.packed_bytes() / 4);
  scores.PackTo(std::as_writable_bytes(std::span(packed)));
  EXPECT_THAT(packed, ElementsAre(1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1));
}

}  // namespace
}  // namespace penstock
