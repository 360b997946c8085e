#include "tokenizer/pieces/shared_growth.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>

namespace penstock {
namespace {

// Those of one that are fewer than a portion are not yet told.
TEST(SharedGrowthTest, IsWantedOnceSoManyAreCountedAndNotBefore) {
  constexpr size_t kMost = 1000;
  constexpr size_t kInserters = 3;
  Readers readers;
  Readers::Reader self(readers);
  std::deque<Inserter> all(kInserters, Inserter(self));
  SharedGrowth growth(readers);
  for (int turn = 0; turn < 2; ++turn) {
    growth.Begin(kMost);
    EXPECT_FALSE(growth.IsWanted());
    size_t counted = 0;
    for (; !growth.IsWanted(); ++counted) {
      growth.CountOne(all[counted % kInserters]);
    }
    const size_t not_told = kInserters * SharedGrowth::kPortion;
    // Some of the turn before may be told in this.
    EXPECT_GE(counted + (turn == 0 ? 0 : not_told), kMost);
    EXPECT_LT(counted, kMost + not_told);
  }
}

}  // namespace
}  // namespace penstock
