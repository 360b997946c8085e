#include "formats/records/record_digest.h"

#include <gtest/gtest.h>

#include <vector>

namespace penstock {
namespace {

// SplitMix64 seeded with 0 gives these first outputs: the published check
// values of its reference implementation.
TEST(RecordDigestTest, RecordZeroIsTheFirstOutputOfSplitMix64) {
  RecordDigest digest;
  digest.Add(0);
  EXPECT_EQ(digest.value(), 0xe220a8397b1dcdafu);
  EXPECT_EQ(digest.count(), 1u);
}

TEST(RecordDigestTest, OrderDoesNotMatter) {
  RecordDigest digest;
  digest.Add(std::vector<uint64_t>{3, 1, 0, 2});
  EXPECT_EQ(digest, RecordDigest::OfFirst(4));
}

TEST(RecordDigestTest, PartsAddUp) {
  RecordDigest even;
  RecordDigest odd;
  for (uint64_t id = 0; id < 1000; ++id) (id % 2 == 0 ? even : odd).Add(id);
  even.Merge(odd);
  EXPECT_EQ(even, RecordDigest::OfFirst(1000));
}

TEST(RecordDigestTest, OneRecordInAnothersPlaceShows) {
  RecordDigest digest;
  digest.Add(std::vector<uint64_t>{0, 1, 2, 2});
  EXPECT_EQ(digest.count(), RecordDigest::OfFirst(4).count());
  EXPECT_NE(digest.value(), RecordDigest::OfFirst(4).value());
}

}  // namespace
}  // namespace penstock
