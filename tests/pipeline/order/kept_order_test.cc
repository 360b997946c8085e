#include "pipeline/order/kept_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

namespace penstock::testing {
namespace {

using ::testing::ElementsAre;

std::vector<uint64_t> Numbers(const std::vector<uint64_t>& bits) {
  std::vector<uint64_t> numbers;
  for (uint64_t i = 0; i < 64 * bits.size(); ++i) {
    if (bits[i / 64] >> i % 64 & 1) numbers.push_back(i);
  }
  return numbers;
}

// `density` of the bits of `records` records, in runs of `run` that are alike.
std::vector<uint64_t> RandomBits(uint64_t records, double density,
                                 uint64_t run) {
  std::mt19937_64 random(records + run);
  std::vector<uint64_t> bits((records + 63) / 64);
  bool set = false;
  for (uint64_t i = 0; i < records; ++i) {
    if (i % run == 0)
      set = std::generate_canonical<double, 53>(random) < density;
    if (set) bits[i / 64] |= uint64_t{1} << i % 64;
  }
  return bits;
}

TEST(KeptOrderTest, EachPositionIsThatOfItsSetBit) {
  for (const uint64_t records :
       {1, 2, 63, 64, 65, 511, 512, 513, 1023, 4096, 4097, 100'000}) {
    for (const double density : {0.0, 0.0005, 0.01, 0.5, 0.99, 1.0}) {
      for (const uint64_t run : {1, 700, 5000}) {
        const std::vector<uint64_t> bits = RandomBits(records, density, run);
        std::vector<uint64_t> kept = Numbers(bits);
        for (uint64_t& id : kept) id += 1000;
        const auto order = KeptOrder(bits, records, 1000);
        ASSERT_EQ(order->records(), kept.size());
        EXPECT_EQ(order->id_limit(), 1000 + records);
        EXPECT_EQ(order->whole(), kept.size() == records);
        std::vector<uint64_t> looked(kept.size());
        for (uint64_t i = 0; i < kept.size(); ++i) looked[i] = i;
        order->Look(0, looked);
        ASSERT_EQ(looked, kept) << records << " " << density << " " << run;
        for (uint64_t first = 0; first < kept.size(); first += 1 + first) {
          std::vector<uint64_t> filled(
              std::min<uint64_t>(kept.size() - first, 3000));
          order->Fill(5, first, filled);
          ASSERT_TRUE(std::ranges::equal(
              filled, std::span(kept).subspan(first, filled.size())))
              << records << " " << density << " from " << first;
        }
      }
    }
  }
}

TEST(KeptOrderTest, NoRecordsHaveNoPositions) {
  const auto order = KeptOrder({}, 0, 7);
  EXPECT_EQ(order->records(), 0u);
  order->Fill(0, 0, {});
}

TEST(SplitTest, PartsSideBySideHaveEachRecordOnce) {
  constexpr uint64_t kRecords = 10'001;
  const double cuts[] = {0, 1e-300, 1e-6, 0.1, 1.0 / 3, 0.5, 0.99, 1};
  std::vector<int> seen(kRecords);
  for (size_t i = 0; i + 1 < std::size(cuts); ++i) {
    for (const uint64_t record : Numbers(SplitBits(
             {.seed = 5, .begin = cuts[i], .end = cuts[i + 1]}, kRecords))) {
      ASSERT_LT(record, kRecords);
      ++seen[record];
    }
  }
  EXPECT_EQ(seen, std::vector<int>(kRecords, 1));
}

TEST(SplitTest, AppendedRecordsLeaveTheFirstInTheirPart) {
  const SplitOptions split = {.seed = 3, .begin = 0.2, .end = 0.7};
  const std::vector<uint64_t> few = Numbers(SplitBits(split, 1000));
  const std::vector<uint64_t> more = Numbers(SplitBits(split, 5000));
  EXPECT_GT(more.size(), few.size());
  EXPECT_TRUE(std::ranges::equal(few, std::span(more).first(few.size())));
}

// A part is drawn for each record by itself, so its size is binomial.
TEST(SplitTest, APartIsAsLargeAsItsRange) {
  constexpr uint64_t kRecords = 1'000'000;
  for (const double end : {0.001, 0.01, 0.3, 0.5}) {
    const double found = static_cast<double>(
        Numbers(SplitBits({.seed = 1, .end = end}, kRecords)).size());
    EXPECT_NEAR(found, end * kRecords,
                5 * std::sqrt(end * (1 - end) * kRecords));
  }
}

TEST(SplitTest, PartsOfOtherSeedsAreIndependent) {
  constexpr uint64_t kRecords = 100'000;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const auto one = SplitBits({.seed = seed, .end = 0.5}, kRecords);
    const auto other = SplitBits({.seed = seed + 1, .end = 0.5}, kRecords);
    int both = 0;
    for (size_t i = 0; i < one.size(); ++i) {
      both += std::popcount(one[i] & other[i]);
    }
    EXPECT_NEAR(both, 0.25 * kRecords, 5 * std::sqrt(0.1875 * kRecords));
  }
}

// Parts outlive releases: these were computed with a SplitMix64 of its own.
TEST(SplitTest, PartsStayWhatTheyAre) {
  EXPECT_THAT(Numbers(SplitBits({.seed = 7, .end = 0.05}, 200)),
              ElementsAre(1, 10, 58, 75, 92, 96, 99, 131, 137));
  EXPECT_THAT(Numbers(SplitBits({.seed = 7, .begin = 0.95}, 200)),
              ElementsAre(17, 23, 47, 82, 101, 135));
}

}  // namespace
}  // namespace penstock::testing
