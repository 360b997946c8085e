#include "pipeline/arrange/bucket_lengths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "tests/pipeline/dataset_fixture.h"

namespace penstock {
namespace {

using ::testing::ElementsAre;

std::vector<int64_t> ChooseFor(const std::vector<uint32_t>& lengths,
                               BucketChoice choice) {
  const auto tasks = *TaskQueue::Create(2);
  return ChooseBucketLengths(LengthTable({lengths}), choice, *tasks);
}

uint64_t PaddedValues(const std::vector<uint32_t>& lengths,
                      const std::vector<int64_t>& buckets) {
  uint64_t values = 0;
  for (const uint32_t length : lengths) {
    values += static_cast<uint64_t>(
        *std::ranges::lower_bound(buckets, int64_t{length}));
  }
  return values;
}

TEST(BucketLengthsTest, EachClusterGetsALength) {
  EXPECT_THAT(ChooseFor({9, 10, 10, 55, 60, 58, 300}, {.shapes = 3}),
              ElementsAre(10, 60, 300));
  EXPECT_THAT(
      ChooseFor({9, 10, 10, 55, 60, 58, 300}, {.shapes = 3, .multiple_of = 16}),
      ElementsAre(16, 64, 304));
  EXPECT_THAT(ChooseFor({5, 5, 5}, {.shapes = 3}), ElementsAre(5));
  EXPECT_THAT(ChooseFor({0, 0}, {.shapes = 3}), ElementsAre(1));
  EXPECT_THAT(ChooseFor({1, 2, 3}, {.shapes = 9}), ElementsAre(1, 2, 3));
}

// Against every choice there is.
TEST(BucketLengthsTest, NoOtherLengthsNeedLess) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const auto lengths = testing::RandomLengths(30, 12, seed);
    const std::set<uint32_t> distinct(lengths.begin(), lengths.end());
    const std::vector<int64_t> all(distinct.begin(), distinct.end());
    for (const uint64_t shapes : {1, 2, 3, 5}) {
      uint64_t least = std::numeric_limits<uint64_t>::max();
      for (uint32_t set = 0; set < 1u << (all.size() - 1); ++set) {
        std::vector<int64_t> buckets;
        for (size_t i = 0; i + 1 < all.size(); ++i) {
          if (set >> i & 1) buckets.push_back(all[i]);
        }
        buckets.push_back(all.back());
        if (buckets.size() > shapes) continue;
        least = std::min(least, PaddedValues(lengths, buckets));
      }
      const auto chosen = ChooseFor(lengths, {.shapes = shapes});
      EXPECT_LE(chosen.size(), shapes);
      EXPECT_EQ(PaddedValues(lengths, chosen), least) << seed;
    }
  }
}

}  // namespace
}  // namespace penstock
