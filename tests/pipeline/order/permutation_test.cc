#include "pipeline/order/permutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "pipeline/order/seed.h"

namespace penstock {
namespace {

std::vector<uint64_t> All(uint64_t n, uint64_t key) {
  const Permutation permutation(n, key);
  std::vector<uint64_t> order(n);
  for (uint64_t i = 0; i < n; ++i) order[i] = permutation(i);
  return order;
}

// First `count` values of a permutation too large to write down.
std::vector<uint64_t> Some(uint64_t n, uint64_t key, uint64_t count) {
  const Permutation permutation(n, key);
  std::vector<uint64_t> order(count);
  for (uint64_t i = 0; i < count; ++i) order[i] = permutation(i);
  return order;
}

TEST(PermutationTest, IsABijectionOfEverySize) {
  std::vector<uint64_t> sizes;
  for (uint64_t n = 1; n <= 70; ++n) sizes.push_back(n);
  for (int bits = 7; bits <= 17; ++bits) {
    for (int off = -1; off <= 1; ++off) {
      sizes.push_back((uint64_t{1} << bits) + static_cast<uint64_t>(off));
    }
  }
  sizes.push_back(46205);
  for (const uint64_t n : sizes) {
    for (const uint64_t key : {0, 1, 99}) {
      std::vector<uint64_t> order = All(n, key);
      std::sort(order.begin(), order.end());
      for (uint64_t i = 0; i < n; ++i) ASSERT_EQ(order[i], i) << "n " << n;
    }
  }
}

TEST(PermutationTest, HugeSizesRepeatNothingAndStayInside) {
  for (const uint64_t n : {uint64_t{1234567893}, uint64_t{1} << 32,
                           (uint64_t{1} << 32) + 1, (uint64_t{1} << 40) - 1,
                           (uint64_t{1} << 62) + 12345, uint64_t{1} << 63}) {
    const auto order = Some(n, 5, 20000);
    EXPECT_EQ(std::set(order.begin(), order.end()).size(), order.size());
    EXPECT_LT(*std::max_element(order.begin(), order.end()), n);
    // Random values of [0, n): their mean is near the middle. The deviation of
    // a mean of 20000 is n / sqrt(12 * 20000), so this is six of them.
    const double mean =
        std::accumulate(order.begin(), order.end(), 0.0) / 20000.0;
    EXPECT_NEAR(mean / static_cast<double>(n), 0.5, 6 / std::sqrt(240000.0));
  }
}

TEST(PermutationTest, ManyAtOnceAreThoseOfOneByOne) {
  for (const uint64_t n :
       {uint64_t{100}, uint64_t{1000}, uint64_t{1'000'003},
        (uint64_t{1} << 32) + 1, (uint64_t{1} << 62) - 12345, uint64_t{1} << 62,
        (uint64_t{1} << 62) + 1, uint64_t{1} << 63}) {
    const Permutation permutation(n, 7);
    const size_t many = std::min<uint64_t>(n, 5000);
    for (const uint64_t first : {uint64_t{0}, n / 3, n - many}) {
      for (const size_t count : {size_t{1}, size_t{3}, size_t{4}, size_t{15},
                                 size_t{16}, size_t{17}, many}) {
        if (count > n - first) continue;
        std::vector<uint64_t> filled(count);
        permutation.Fill(first, filled);
        for (size_t i = 0; i < count; ++i) {
          ASSERT_EQ(filled[i], permutation(first + i)) << n << " " << first;
        }
      }
    }
  }
}

// Sum of (seen - expected)^2 / expected.
double ChiSquare(const std::vector<uint64_t>& counts, double expected) {
  double sum = 0;
  for (const uint64_t count : counts) {
    const double off = static_cast<double>(count) - expected;
    sum += off * off / expected;
  }
  return sum;
}

// Within six deviations: the mean of chi-square is its degrees of freedom, the
// variance twice that.
void ExpectUniform(const std::vector<uint64_t>& counts, double expected) {
  const auto freedom = static_cast<double>(counts.size() - 1);
  EXPECT_LT(ChiSquare(counts, expected), freedom + 6 * std::sqrt(2 * freedom));
}

TEST(PermutationTest, EveryOrderOfFourThingsIsAsLikelyAsAnyOther) {
  std::vector<uint64_t> counts(256);
  constexpr uint64_t kKeys = 48000;
  for (uint64_t key = 0; key < kKeys; ++key) {
    const auto order = All(4, key);
    ++counts[order[0] * 64 + order[1] * 16 + order[2] * 4 + order[3]];
  }
  std::erase(counts, 0);
  ASSERT_EQ(counts.size(), 24u);
  ExpectUniform(counts, kKeys / 24.0);
}

TEST(PermutationTest, EachThingIsEquallyLikelyAtEachPlace) {
  constexpr uint64_t kSize = 23;
  constexpr uint64_t kKeys = 20000;
  std::vector<uint64_t> counts(kSize * kSize);
  for (uint64_t key = 0; key < kKeys; ++key) {
    const auto order = All(kSize, key);
    for (uint64_t i = 0; i < kSize; ++i) ++counts[i * kSize + order[i]];
  }
  ExpectUniform(counts, static_cast<double>(kKeys) / kSize);
}

TEST(PermutationTest, NeighboursLandIndependently) {
  // Distances between the places of neighbours, in 64 classes.
  constexpr uint64_t kSize = 1 << 20;
  const auto order = Some(kSize, 11, 200000);
  std::vector<uint64_t> counts(64);
  for (size_t i = 1; i < order.size(); ++i) {
    ++counts[(order[i] - order[i - 1]) % kSize * 64 / kSize];
  }
  ExpectUniform(counts, 199999.0 / 64);
}

TEST(PermutationTest, KeysThatDifferInOneBitAgreeAsRarelyAsRandomOrders) {
  constexpr uint64_t kSize = 10000;
  const auto order = All(kSize, 1000);
  for (int bit = 0; bit < 64; ++bit) {
    const auto other = All(kSize, 1000 ^ (uint64_t{1} << bit));
    uint64_t same = 0;
    for (uint64_t i = 0; i < kSize; ++i) same += order[i] == other[i];
    EXPECT_LT(same, 12u) << "bit " << bit;  // Poisson with mean 1
  }
}

TEST(SeedTest, SeedAndEpochDoNotAddUp) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_NE(HashSeed(seed, 1, SeedStage::kShuffle, 9),
              HashSeed(seed + 1, 0, SeedStage::kShuffle, 9));
  }
}

TEST(SeedTest, EveryArgumentCounts) {
  std::set<uint64_t> keys;
  for (uint64_t seed : {0, 1, 2}) {
    for (uint64_t epoch : {0, 1, 2}) {
      for (uint64_t data : {0, 1, 2}) {
        keys.insert(HashSeed(seed, epoch, SeedStage::kShuffle, data));
        keys.insert(HashSeed(seed, epoch, SeedStage::kWindow, data));
      }
    }
  }
  EXPECT_EQ(keys.size(), 54u);
}

// From an implementation in Python: saved runs depend on these numbers.
TEST(SeedTest, KeysAndOrdersStayWhatTheyWere) {
  EXPECT_EQ(Mix64(1), 0x5692161d100b05e5u);
  EXPECT_EQ(All(10, 3), (std::vector<uint64_t>{3, 4, 1, 0, 8, 5, 7, 6, 2, 9}));
  EXPECT_EQ(HashSeed(42, 1, SeedStage::kShuffle, 7), 0x099e0904e413eb41u);
}

}  // namespace
}  // namespace penstock
