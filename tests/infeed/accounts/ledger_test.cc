#include "infeed/accounts/ledger.h"

#include <gtest/gtest.h>

#include <random>

namespace penstock {
namespace {

int64_t Sum(const Ledger& ledger) {
  int64_t sum = 0;
  for (size_t b = 0; b < kBuckets; ++b) {
    sum += ledger.ns(static_cast<Bucket>(b));
  }
  return sum;
}

TEST(LedgerTest, TimeGoesToTheBucketThatWasCurrent) {
  Ledger ledger(100);
  ledger.Enter(Bucket::kInfeedWait, 130);
  ledger.Enter(Bucket::kCompute, 135);
  ledger.Enter(Bucket::kInfeedWait, 175);
  ledger.Enter(Bucket::kCompute, 176);
  EXPECT_EQ(ledger.ns(Bucket::kInit), 30);
  EXPECT_EQ(ledger.ns(Bucket::kInfeedWait), 6);
  EXPECT_EQ(ledger.ns(Bucket::kCompute), 40);
  EXPECT_EQ(ledger.wall_ns(), 76);
}

TEST(LedgerTest, StepsAreSplitByRowsThatPad) {
  Ledger ledger(0, Bucket::kCompute);
  ledger.EndStep(Bucket::kDrain, 1001, 1, 4);
  EXPECT_EQ(ledger.ns(Bucket::kPadCompute), 250);
  EXPECT_EQ(ledger.ns(Bucket::kCompute), 751);
  ledger.EndStep(Bucket::kDrain, 1101, 4, 4);
  EXPECT_EQ(ledger.ns(Bucket::kPadCompute), 350);
  ledger.EndStep(Bucket::kDrain, 1201, 0, 0);
  EXPECT_EQ(ledger.ns(Bucket::kCompute), 851);
}

TEST(LedgerTest, LargeStepsDoNotOverflow) {
  Ledger ledger(0, Bucket::kCompute);
  const int64_t month_ns = 30ll * 24 * 3600 * 1'000'000'000;
  ledger.EndStep(Bucket::kDrain, month_ns, 1u << 31, 1ull << 32);
  EXPECT_EQ(ledger.ns(Bucket::kPadCompute), month_ns / 2);
}

TEST(LedgerTest, BucketsSumToWallTimeToTheNanosecond) {
  std::mt19937_64 random(3);
  Ledger ledger(12345);
  int64_t now_ns = 12345;
  for (int i = 0; i < 10000; ++i) {
    now_ns += static_cast<int64_t>(random() % 1000003);
    const auto bucket = static_cast<Bucket>(random() % kBuckets);
    if (i % 3 == 0) {
      const uint64_t rows = random() % 1000 + 1;
      ledger.EndStep(bucket, now_ns, random() % (rows + 1), rows);
    } else {
      ledger.Enter(bucket, now_ns);
    }
    ASSERT_EQ(Sum(ledger), now_ns - 12345);
    ASSERT_EQ(Sum(ledger), ledger.wall_ns());
  }
}

TEST(LedgerTest, EveryBucketHasItsOwnNameAndKey) {
  for (size_t a = 0; a < kBuckets; ++a) {
    const auto bucket = static_cast<Bucket>(a);
    EXPECT_TRUE(BucketKey(bucket).ends_with("_ns"));
    for (size_t b = 0; b < a; ++b) {
      EXPECT_NE(BucketName(bucket), BucketName(static_cast<Bucket>(b)));
    }
  }
}

}  // namespace
}  // namespace penstock
