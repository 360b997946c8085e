#include "tokenizer/patterns/cut_in_turn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tokenizer/patterns/character_pretokenizer.h"
#include "tokenizer/patterns/regex_pretokenizer.h"
#include "tokenizer/unicode/hf_unicode.h"
#include "tokenizer/unicode/unicode_data.h"

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
  const TurnMasks masks(cutters);
  EXPECT_OK(
      (TurnCutter<kMost, decltype(take)>(cutters, masks, text, take).Run()));
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
  const TurnMasks masks(cutters);
  const auto run = [&](std::string_view text) {
    taken = 0;
    return TurnCutter<3, decltype(take)>(cutters, masks, text, take).Run();
  };
  EXPECT_THAT(run(bad), StatusIs(StatusCode::kResourceExhausted,
                                 HasSubstr("takes more than")));
  EXPECT_EQ(taken, 3u);
  result = InternalError("enough");
  EXPECT_THAT(run("b-b-b-b-b"),
              StatusIs(StatusCode::kInternal, HasSubstr("enough")));
  EXPECT_EQ(taken, 3u);
}

// The same, but asked about every piece.
class Asked final : public PreTokenizer {
 public:
  explicit Asked(const PreTokenizer& cutter) : cutter_(cutter) {}
  size_t Split(std::string_view text, size_t begin,
               std::span<size_t> ends) const override {
    return cutter_.Split(text, begin, ends);
  }
  // So that it sees also what is one character.
  bool LeavesTextOut() const override { return true; }
  std::string_view name() const override { return "asked"; }

 private:
  const PreTokenizer& cutter_;
};

using Kind = CharacterPreTokenizer::Kind;
using Runs = CharacterPreTokenizer::Runs;

TEST(CutInTurnTest, WhoLeavesAPieceWholeNeedNotBeAsked) {
  const char* const kRegexes[] = {"[\\r\\n]",
                                  "\\s?\\p{L}+",
                                  "\\s?\\p{P}+",
                                  "[\u65e5\u672c]+",
                                  "\\p{N}{1,3}",
                                  "a(?!b)",
                                  "(?<=a)b",
                                  "ab+c|c",
                                  "x$",
                                  "\\bth",
                                  "b(?=-)",
                                  "(?i:AB)",
                                  "-|aa",
                                  "[^a]b",
                                  "b|a+(?=cc)",
                                  "b|(?=a)(?=acc)ac",
                                  "\\x{fffd}",
                                  "\\s\\s?",
                                  "a.",
                                  "\u304b+",
                                  "[\\p{Lu}\u00d7]"};
  constexpr Kind kKinds[] = {Kind::kNumbers, Kind::kPunctuation,
                             Kind::kSpelledNumbers};
  const std::vector<std::string_view> kParts = {
      "a", "b", "c", "cc", "-", " ", "\n", "1", "23", "th", "x", "A", "B", ".",
      "\u65e5", "\u00e9", "\xff", "\u0664", "the",
      // Wide ones of which others begin with the same byte.
      "\u3002", "\u304b", "\u00d7", "\u00c9", "\u00bf", "\u2014", "\u2160",
      "\u0416", "\U0001f600", "\ufffd", "\xe6\x97", "\x97"};
  std::mt19937 random(3);
  size_t skipped = 0;
  for (int drawn = 0; drawn < 300; ++drawn) {
    PreTokenizers cutters, asked;
    for (size_t n = 2 + random() % 4; n > 0; --n) {
      if (random() % 4 == 0) {
        cutters.push_back(std::make_unique<CharacterPreTokenizer>(
            kKinds[random() % std::size(kKinds)],
            random() % 2 == 0 ? Runs::kSplit : Runs::kKept));
      } else {
        cutters.push_back(
            RegexPreTokenizer::Make(kRegexes[random() % std::size(kRegexes)],
                                    random() % 6 == 0 ? kInverted : kIsolated)
                .value());
      }
    }
    for (const auto& cutter : cutters) {
      asked.push_back(std::make_unique<Asked>(*cutter));
    }
    const TurnMasks masks(cutters);
    for (int i = 0; i < 60; ++i) {
      std::string text = "a";
      for (int n = random() % 12; n > 0; --n) {
        text += kParts[random() % kParts.size()];
      }
      ASSERT_EQ(Cut<16>(cutters, text), Cut<16>(asked, text)) << text;
      skipped += masks.NextOf(1, text) != 1;
    }
  }
  EXPECT_GT(skipped, 1000u);
}

TEST(CutInTurnTest, MoreThanMasksHoldAreAllAsked) {
  PreTokenizers cutters;
  for (int i = 0; i < 33; ++i) {
    cutters.push_back(RegexPreTokenizer::Make("q", kIsolated).value());
  }
  cutters.push_back(RegexPreTokenizer::Make("b", kIsolated).value());
  EXPECT_THAT(Cut<8>(cutters, "abc"), ElementsAre("a", "b", "c"));
}

std::vector<std::string> CutOut(Kind kind, Runs runs, std::string_view text) {
  PreTokenizers one;
  one.push_back(std::make_unique<CharacterPreTokenizer>(kind, runs));
  return Cut<2>(one, text);
}

TEST(CharacterPreTokenizerTest, NumbersAreCutOutAloneOrInRuns) {
  // A third, a digit of Arabic, a Roman numeral; a byte that is not UTF-8.
  const std::string text = "ab12\u2153c\u0664\u2163\xff\xe0 3";
  EXPECT_THAT(CutOut(Kind::kNumbers, Runs::kSplit, text),
              ElementsAre("ab", "1", "2", "\u2153", "c", "\u0664", "\u2163",
                          "\xff\xe0 ", "3"));
  EXPECT_THAT(
      CutOut(Kind::kNumbers, Runs::kKept, text),
      ElementsAre("ab", "12\u2153", "c", "\u0664\u2163", "\xff\xe0 ", "3"));
}

TEST(CharacterPreTokenizerTest, PunctuationIsCutOutAloneOrInRuns) {
  // Symbols are punctuation where they are ASCII.
  const std::string text = "a$.\u3002\u20ac 1-\xff";
  EXPECT_THAT(CutOut(Kind::kPunctuation, Runs::kSplit, text),
              ElementsAre("a", "$", ".", "\u3002", "\u20ac 1", "-", "\xff"));
  EXPECT_THAT(CutOut(Kind::kPunctuation, Runs::kKept, text),
              ElementsAre("a", "$.\u3002", "\u20ac 1", "-", "\xff"));
}

// Of GPT-2's alphabet 0xB2, 0xB3, 0xB9 and 0xBC to 0xBE are numbers of Latin-1,
// and all bytes that Latin-1 does not print are letters.
TEST(CharacterPreTokenizerTest, SpelledNumbersMayBePartsOfCharacters) {
  const std::string text = "a1\u00b2 \u03b212\u0664";  // d9 a4
  EXPECT_THAT(CutOut(Kind::kSpelledNumbers, Runs::kSplit, text),
              ElementsAre("a", "1", "\xc2", "\xb2", " \xce", "\xb2", "1", "2",
                          "\u0664"));
  EXPECT_THAT(CutOut(Kind::kSpelledNumbers, Runs::kKept, text),
              ElementsAre("a", "1", "\xc2", "\xb2", " \xce",
                          "\xb2"
                          "12",
                          "\u0664"));
  EXPECT_THAT(
      CutOut(Kind::kSpelledNumbers, Runs::kKept, "\u00b9\u00b3\u00bc\u00bf"),
      ElementsAre("\xc2", "\xb9", "\xc2", "\xb3", "\xc2", "\xbc", "\u00bf"));
}

// A run that reached behind a letter would have to see what follows it.
TEST(CharacterPreTokenizerTest, NoLetterIsOfAKind) {
  for (uint32_t c = 0; c < 0x110000; ++c) {
    if ((ClassOf(c) & kLetter) == 0) continue;
    EXPECT_EQ(hf_unicode::BitsOf(c) &
                  (hf_unicode::kPunctuation | hf_unicode::kNumber),
              0)
        << c;
  }
}

}  // namespace
}  // namespace penstock
