#include "tokenizer/patterns/regex_pretokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/tokenizer/patterns/pieces.h"

namespace penstock {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kUnimplemented;
using testing::PiecesOf;
using testing::StatusIs;

TEST(RegexPreTokenizerTest, RulesSayWhatBecomesOfWhatIsNotMatched) {
  // By the automaton, RE2 and PCRE2.
  for (const char* regex : {"a+|1", "a(?:a+|a*9)?|1", "a+(?!bb)|1"}) {
    for (const size_t window : {1, 2, 3, 100}) {
      ASSERT_OK_AND_ASSIGN(
          const auto isolated,
          RegexPreTokenizer::Make(regex, RegexRules::kIsolated));
      EXPECT_THAT(PiecesOf(*isolated, ".,aab1c", window),
                  ElementsAre(".,", "aa", "b", "1", "c"));
      EXPECT_THAT(PiecesOf(*isolated, "aa..", window), ElementsAre("aa", ".."));
      EXPECT_FALSE(isolated->LeavesTextOut());
      for (const auto rules : {RegexRules::kTiktoken, RegexRules::kInverted}) {
        ASSERT_OK_AND_ASSIGN(const auto others,
                             RegexPreTokenizer::Make(regex, rules));
        EXPECT_THAT(PiecesOf(*others, ".,aab1c", window),
                    ElementsAre("[.,]", "aa", "[b]", "1", "[c]"));
        EXPECT_TRUE(others->LeavesTextOut());
      }
    }
  }
}

TEST(RegexPreTokenizerTest, NamesTellRulesApart) {
  ASSERT_OK_AND_ASSIGN(const auto tiktoken,
                       RegexPreTokenizer::Make("a", RegexRules::kTiktoken));
  ASSERT_OK_AND_ASSIGN(const auto isolated,
                       RegexPreTokenizer::Make("a", RegexRules::kIsolated));
  ASSERT_OK_AND_ASSIGN(const auto inverted,
                       RegexPreTokenizer::Make("a", RegexRules::kInverted));
  EXPECT_EQ(tiktoken->name(), "a");
  EXPECT_EQ(isolated->name(), "isolated a");
  EXPECT_EQ(inverted->name(), "inverted a");
  EXPECT_EQ(dynamic_cast<const RegexPreTokenizer&>(*inverted).regex(), "a");
}

TEST(RegexPreTokenizerTest, WhatMayBeEmptyIsNoPiece) {
  for (const auto rules :
       {RegexRules::kTiktoken, RegexRules::kIsolated, RegexRules::kInverted}) {
    EXPECT_THAT(RegexPreTokenizer::Make("a*", rules).status(),
                StatusIs(kUnimplemented, HasSubstr("may be empty")));
  }
}

// Oniguruma reads {1,3}+ as one to three, any number of times.
TEST(RegexPreTokenizerTest, ExpressionsAreReadByTheirRules) {
  ASSERT_OK_AND_ASSIGN(
      const auto tiktoken,
      RegexPreTokenizer::Make("1{1,3}+", RegexRules::kTiktoken));
  EXPECT_THAT(PiecesOf(*tiktoken, "11111", 9), ElementsAre("111", "11"));
  ASSERT_OK_AND_ASSIGN(
      const auto isolated,
      RegexPreTokenizer::Make("1{1,3}+", RegexRules::kIsolated));
  EXPECT_THAT(PiecesOf(*isolated, "11111", 9), ElementsAre("11111"));
}

}  // namespace
}  // namespace penstock
