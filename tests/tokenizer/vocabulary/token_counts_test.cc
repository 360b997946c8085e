#include "tokenizer/vocabulary/token_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace penstock {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Row = TokenCounts::Row;

TEST(TokenCountsTest, TheMostFrequentComesFirstThenTheLowerId) {
  TokenCounts counts;
  EXPECT_THAT(counts.MostFrequentFirst(), IsEmpty());
  counts.Add(std::vector<TokenId>{7, 3, 9, 3, 0});
  counts.Add(std::vector<TokenId>{9});
  EXPECT_THAT(counts.MostFrequentFirst(),
              ElementsAre(Row{3, 2}, Row{9, 2}, Row{0, 1}, Row{7, 1}));
}

TEST(TokenCountsTest, CountsOfManyThreadsAddUp) {
  TokenCounts all, other;
  all.Add(std::vector<TokenId>{1, 2});
  other.Add(std::vector<TokenId>{2, 500});
  all.Add(other);
  EXPECT_THAT(all.MostFrequentFirst(),
              ElementsAre(Row{2, 2}, Row{1, 1}, Row{500, 1}));
}

}  // namespace
}  // namespace penstock
