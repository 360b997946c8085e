#include "infeed/sharding/slice_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

namespace penstock {
namespace {

using ::testing::ElementsAre;

TEST(SliceLayoutTest, RowsAreOneRun) {
  const SliceLayout rows = LayoutOf({16, 128}, {{4, 8}, {0, 128}}, 4);
  EXPECT_TRUE(rows.dense());
  EXPECT_EQ(rows.offset_bytes, 4u * 128 * 4);
  EXPECT_EQ(rows.run_bytes, 4u * 128 * 4);
  EXPECT_EQ(rows.runs, 1u);
  EXPECT_THAT(rows.strides_bytes, ElementsAre(512, 4));
}

TEST(SliceLayoutTest, ColumnsAreARunARow) {
  const SliceLayout columns = LayoutOf({16, 128}, {{0, 16}, {64, 128}}, 4);
  EXPECT_FALSE(columns.dense());
  EXPECT_EQ(columns.offset_bytes, 256u);
  EXPECT_EQ(columns.run_bytes, 256u);
  EXPECT_EQ(columns.runs, 16u);
  EXPECT_EQ(columns.packed_bytes(), 16u * 256);
  EXPECT_EQ(columns.span_bytes, 15u * 512 + 256);
}

TEST(SliceLayoutTest, NothingHasNoRuns) {
  const SliceLayout none = LayoutOf({5, 3}, {{5, 5}, {0, 3}}, 4);
  EXPECT_EQ(none.runs, 0u);
  EXPECT_EQ(none.packed_bytes(), 0u);
  EXPECT_EQ(none.span_bytes, 0u);
}

// A copy of random blocks equals one that goes element by element.
TEST(SliceLayoutTest, PackedCopiesHoldTheBlockAndPadTheRest) {
  std::mt19937 random(3);
  const auto size = [&](int64_t most) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(most + 1));
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<int64_t> shape;
    std::vector<IndexRange> block;
    std::vector<int64_t> shard;
    int64_t elements = 1;
    int64_t wanted = 1;
    for (size_t d = 0; d < 1 + random() % 4; ++d) {
      shape.push_back(1 + size(4));
      const int64_t begin = size(shape[d]);
      block.push_back({begin, begin + size(shape[d] - begin)});
      shard.push_back(block[d].size() + size(2));
      elements *= shape[d];
      wanted *= shard[d];
    }
    std::vector<int32_t> array(static_cast<size_t>(elements));
    std::iota(array.begin(), array.end(), 100);
    std::vector<int32_t> out(static_cast<size_t>(wanted), 1);
    const int32_t pad = -7;
    const SliceLayout layout = LayoutOf(shape, block, sizeof(int32_t));
    std::vector<int64_t> sizes;
    for (const IndexRange& range : block) sizes.push_back(range.size());
    PackBlock(std::as_bytes(std::span(array))
                  .subspan(layout.offset_bytes, layout.span_bytes),
              sizes, layout.strides_bytes, shard,
              std::as_bytes(std::span(&pad, 1)),
              std::as_writable_bytes(std::span(out)));
    for (int64_t i = 0; i < wanted; ++i) {
      int64_t rest = i;
      int64_t at = 0;
      int64_t stride = 1;
      bool inside = true;
      for (size_t d = shape.size(); d-- > 0;) {
        const int64_t place = rest % shard[d];
        rest /= shard[d];
        inside = inside && place < block[d].size();
        at += (block[d].begin + place) * stride;
        stride *= shape[d];
      }
      EXPECT_EQ(out[static_cast<size_t>(i)],
                inside ? array[static_cast<size_t>(at)] : pad);
    }
  }
}

}  // namespace
}  // namespace penstock
