#include "tokenizer/pieces/shared_growth.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>

namespace penstock {
namespace {

// Those of one that are fewer than a portion are not yet told: also where all
// that is wanted is less than a portion each.
TEST(SharedGrowthTest, IsWantedOnceSoManyAreCountedAndNotBefore) {
  constexpr size_t kMost = 1000;
  Readers readers;
  Readers::Reader self(readers);
  for (const size_t inserters : {1, 3, 300}) {
    std::deque<Inserter> all(inserters, Inserter(self));
    SharedGrowth growth(readers);
    for (int turn = 0; turn < 2; ++turn) {
      growth.Begin(kMost);
      EXPECT_FALSE(growth.IsWanted());
      size_t counted = 0;
      for (; !growth.IsWanted(); ++counted) {
        growth.CountOne(all[counted % inserters]);
      }
      const size_t not_told = inserters * SharedGrowth::kPortion;
      // Some of the turn before may be told in this.
      EXPECT_GE(counted + (turn == 0 ? 0 : not_told), kMost) << inserters;
      EXPECT_LT(counted, kMost + not_told) << inserters;
    }
  }
}

}  // namespace
}  // namespace penstock
