#include "tokenizer/patterns/cut_in_turn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tokenizer/patterns/number_pretokenizer.h"
#include "tokenizer/patterns/regex_pretokenizer.h"

namespace penstock {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::StatusIs;

PreTokenizers Cutters(
    const std::vector<std::pair<const char*, RegexRules>>& expressions) {
  PreTokenizers cutters;
  for (const auto& [regex, rules] : expressions) {
    cutters.push_back(RegexPreTokenizer::Make(regex, rules).value());
  }
  return cutters;
}

// Gives `kMost` at a time; what is left out is in brackets.
template <size_t kMost>
std::vector<std::string> Cut(const PreTokenizers& cutters,
                             std::string_view text) {
  std::vector<std::string> pieces;
  bool was_smaller = false;
  const auto take = [&](size_t begin, std::span<const size_t> ends) {
    EXPECT_FALSE(was_smaller);
    EXPECT_FALSE(ends.empty());
    was_smaller = ends.size() < kMost;
    for (const size_t mark : ends) {
      const size_t end = mark & ~kLeftOut;
      const std::string piece(text.substr(begin, end - begin));
      pieces.push_back(end == mark ? piece : "[" + piece + "]");
      begin = end;
    }
    return OkStatus();
  };
  EXPECT_OK((TurnCutter<kMost, decltype(take)>(cutters, text, take).Run()));
  return pieces;
}

constexpr auto kIsolated = RegexRules::kIsolated;
constexpr auto kInverted = RegexRules::kInverted;

TEST(CutInTurnTest, EachCutsThePiecesOfTheOneBefore) {
  // The second sees the ends of the first's pieces as those of the text.
  const PreTokenizers cutters =
      Cutters({{"[0-9]{2}", kIsolated}, {R"(\s+(?!\S)|\w)", kIsolated}});
  for (const auto& pieces :
       {Cut<1>(cutters, "a,  12  b"), Cut<2>(cutters, "a,  12  b"),
        Cut<3>(cutters, "a,  12  b"), Cut<100>(cutters, "a,  12  b")}) {
    EXPECT_THAT(pieces, ElementsAre("a", ",", "  ", "1", "2", " ", " ", "b"));
  }
}

TEST(CutInTurnTest, WhatOneLeavesOutTheNextDoesNotSee) {
  const PreTokenizers cutters = Cutters(
      {{"[a-y ]+|_", kInverted}, {"[a-x]|_", kInverted}, {"[a-c]", kIsolated}});
  for (const auto& pieces :
       {Cut<1>(cutters, "zab yc_zz_"), Cut<2>(cutters, "zab yc_zz_"),
        Cut<5>(cutters, "zab yc_zz_"), Cut<100>(cutters, "zab yc_zz_")}) {
    EXPECT_THAT(pieces,
                ElementsAre("[z]", "a", "b", "[ y]", "c", "_", "[zz]", "_"));
  }
}

// More pieces of the first than it gives at once, more of the last than a
// batch.
TEST(CutInTurnTest, ManyPiecesAreGivenInBatches) {
  const PreTokenizers cutters =
      Cutters({{"-", kIsolated}, {"aa|b", kIsolated}});
  std::string text;
  std::vector<std::string> expected;
  for (size_t i = 0; i < 200; ++i) {
    text += std::string(2 * i, 'a') + "-";
    expected.insert(expected.end(), i, "aa");
    expected.push_back("-");
  }
  EXPECT_EQ(Cut<1>(cutters, text), expected);
  EXPECT_EQ(Cut<64>(cutters, text), expected);
  EXPECT_EQ(Cut<100000>(cutters, text), expected);
}

TEST(CutInTurnTest, TheFirstErrorEndsIt) {
  const PreTokenizers cutters = Cutters({{"-", kIsolated},
                                         {"(?:b|(?:a+)+(?=cc))+", kIsolated},
                                         {"b", kIsolated}});
  size_t taken = 0;
  Status result;
  const auto take = [&](size_t, std::span<const size_t> ends) {
    taken += ends.size();
    return result;
  };
  const std::string bad = "b-b-b" + std::string(60, 'a');
  const auto run = [&](std::string_view text) {
    taken = 0;
    return TurnCutter<3, decltype(take)>(cutters, text, take).Run();
  };
  EXPECT_THAT(run(bad), StatusIs(StatusCode::kResourceExhausted,
                                 HasSubstr("takes more than")));
  EXPECT_EQ(taken, 3u);
  result = InternalError("enough");
  EXPECT_THAT(run("b-b-b-b-b"),
              StatusIs(StatusCode::kInternal, HasSubstr("enough")));
  EXPECT_EQ(taken, 3u);
}

TEST(NumberPreTokenizerTest, NumbersAreCutOutAloneOrInRuns) {
  using Runs = NumberPreTokenizer::Runs;
  PreTokenizers alone, runs;
  alone.push_back(std::make_unique<NumberPreTokenizer>(Runs::kSplit));
  runs.push_back(std::make_unique<NumberPreTokenizer>(Runs::kKept));
  // A third, a digit of Arabic, a Roman numeral; a byte that is not UTF-8.
  const std::string text = "ab12\u2153c\u0664\u2163\xff\xe0 3";
  EXPECT_THAT(Cut<2>(alone, text),
              ElementsAre("ab", "1", "2", "\u2153", "c", "\u0664", "\u2163",
                          "\xff\xe0 ", "3"));
  EXPECT_THAT(
      Cut<2>(runs, text),
      ElementsAre("ab", "12\u2153", "c", "\u0664\u2163", "\xff\xe0 ", "3"));
}

}  // namespace
}  // namespace penstock
