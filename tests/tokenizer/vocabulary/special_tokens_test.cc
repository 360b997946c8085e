#include "tokenizer/vocabulary/special_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace penstock {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "begin:id" of every match, left to right.
std::vector<std::string> Matches(std::vector<SpecialToken> tokens,
                                 std::string_view text) {
  const SpecialTokens specials(std::move(tokens));
  std::vector<std::string> found;
  size_t pos = 0;
  while (const auto match = specials.FindNext(text, pos)) {
    found.push_back(std::to_string(match->begin) + ":" +
                    std::to_string(match->token->id));
    pos = match->end;
  }
  return found;
}

TEST(SpecialTokensTest, LongestOfThoseThatBeginTogetherWins) {
  EXPECT_THAT(Matches({{"<x>", 1}, {"<x>y", 2}, {"<x>yz", 3}}, "<x>y<x>yz<x>"),
              ElementsAre("0:2", "4:3", "9:1"));
}

TEST(SpecialTokensTest, LeftmostWinsOverLonger) {
  EXPECT_THAT(Matches({{"ab", 1}, {"bcde", 2}}, "abcde"), ElementsAre("0:1"));
}

TEST(SpecialTokensTest, PartOfATokenIsNone) {
  EXPECT_THAT(Matches({{"<x>y", 2}, {"<<", 3}}, "<x> <x <"), IsEmpty());
}

TEST(SpecialTokensTest, TokensMayBeginWithAnyByte) {
  EXPECT_THAT(
      Matches({{"\xe6\x97\xa5", 1}, {std::string(1, '\0'), 2}, {"z", 3}},
              std::string_view("a\0\xe6\x97\xa5z", 6)),
      ElementsAre("1:2", "2:1", "5:3"));
}

TEST(SpecialTokensTest, NoTokensNeverMatch) {
  EXPECT_THAT(Matches({}, "<x>"), IsEmpty());
}

}  // namespace
}  // namespace penstock
