#include "tokenizer/regex/dfa_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tokenizer/patterns/space_runs.h"
#include "tokenizer/regex/pcre2_pattern.h"
#include "tokenizer/regex/re2_pattern.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

using ::testing::HasSubstr;
using testing::kUnimplemented;
using testing::StatusIs;

using Places = std::vector<std::pair<size_t, size_t>>;

// All matches, asked for `at_once` at a time.
Places AllMatches(const TextPattern& pattern, std::string_view text,
                  size_t at_once) {
  Places places;
  std::vector<TextPattern::Found> found(at_once);
  size_t from = 0;
  size_t count;
  do {
    const auto some = pattern.Find(text, from, found);
    EXPECT_OK(some.status());
    count = some.ok() ? *some : 0;
    for (size_t i = 0; i < count; ++i) {
      places.emplace_back(found[i].begin, found[i].end);
      from = found[i].end;
    }
  } while (count == at_once);
  return places;
}

// Runs of characters of one kind, some of them long.
std::string Runs(uint32_t seed, size_t size_bytes) {
  constexpr std::string_view kChars[] = {"a", "b", "A",  "1", " ", "\n",   "'",
                                         "!", "é", "字", "ж", "s", "\xff", "😀"};
  std::string text;
  while (text.size() < size_bytes) {
    seed = seed * 1664525 + 1013904223;
    const std::string_view c = kChars[(seed >> 20) % std::size(kChars)];
    seed = seed * 1664525 + 1013904223;
    const size_t times = seed >> 27 == 0 ? (seed >> 10) % 3000 : seed >> 30;
    for (size_t i = 0; i <= times; ++i) text += c;
  }
  return text;
}

constexpr RegexSyntax kSyntaxes[] = {RegexSyntax::kFancyRegex,
                                     RegexSyntax::kOniguruma};

enum class Bytes { kAny, kUtf8 };

void ExpectSame(const char* regex, const TextPattern& pattern,
                const TextPattern& oracle, Bytes bytes) {
  for (uint32_t seed = 0; seed < 6; ++seed) {
    std::string text = Runs(seed, 6000);
    if (bytes == Bytes::kUtf8) text = ReplaceUtf8Errors(text);
    const Places expected = AllMatches(oracle, text, 256);
    EXPECT_GT(expected.size(), 0u) << regex;
    for (const size_t at_once : {1, 7, 256}) {
      EXPECT_EQ(AllMatches(pattern, text, at_once), expected)
          << regex << ", " << seed << ", " << at_once;
    }
  }
}

TEST(DfaPatternTest, FindsWhatRe2Finds) {
  for (
      const char* regex :
      {R"([^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}{1,2}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
       R"(\p{Lu}*\p{Ll}+(?:'s)?|\p{Lu}+|\s+)", R"(a(?:b*c)?|b|.)",
       R"((?:ab|a){2,5}?|\d{1,3}x|s)", R"((?:aa?b)+|a{1,3}1|[^a]{3})",
       R"(\s|a{0,3}?(?:!|'a)|b{2,4}?a|\P{L}{2,4}?)",
       // What no match begins with before itself, but before each other.
       R"(a1|1!|!a|[bs]A)"}) {
    for (const RegexSyntax syntax : kSyntaxes) {
      ASSERT_OK_AND_ASSIGN(const auto dfa, DfaPattern::Make(regex, syntax));
      ASSERT_OK_AND_ASSIGN(const auto re2, Re2Pattern::Make(regex, syntax));
      ExpectSame(regex, *dfa, *re2, Bytes::kUtf8);
    }
  }
}

TEST(DfaPatternTest, LooksAroundAsPcre2Does) {
  for (const char* regex :
       {R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+)"
        R"(| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s)",
        R"(a{2,3}+a|b?+(?:b|A)|[Aa1])", R"((?<=a)b|(?<!b)b|\S(?=\s|')|[^b])",
        R"(\b\w|\w\b|\B.|^1+)", R"(\Aa|a\z|(?:^|!)s?\s|.$)",
        R"((?<=\p{Lu}|\d)\p{Ll}{1,4}(?![\p{L}!])|\p{L}(?=\p{L}))",
        R"((?<=\S)\s{2,9}\S|\s[a-zA-Z])", R"(\p{L}+\b|\d(?<=1)\s|\S(?<!1)\S|.)",
        R"((?<!\A)[a-c](?!\z)|[a-z])"}) {
    for (const RegexSyntax syntax : kSyntaxes) {
      ASSERT_OK_AND_ASSIGN(const auto dfa, DfaPattern::Make(regex, syntax));
      ASSERT_OK_AND_ASSIGN(const auto pcre2, Pcre2Pattern::Make(regex, syntax));
      ExpectSame(regex, *dfa, *pcre2, Bytes::kAny);
    }
  }
}

// Of what looks further, or does not go back.
TEST(DfaPatternTest, AsksPcre2WhereItDoesNotKnow) {
  for (const char* regex :
       {R"(\p{L}+|\d{1,3}(?=(?:\d{3})*\b)|\s+$|\s+|.)", "a+(?!bb)|s|b+",
        // Before some other characters alone.
        R"([a1!]+(?=[b\s])(?=[b\s]{2})[b\s]|[a1!]+|[b\s])",
        "a(?>b{1,2}|1)(?:b|$)|[a1 ]|b+(?=\\s\\s)", "a(?<=ba)|[^b]",
        R"(1{1,9}(?=\s\s|!!)|[^1]{1,9}(?!11[a-z]))"}) {
    for (const RegexSyntax syntax : kSyntaxes) {
      ASSERT_OK_AND_ASSIGN(const auto dfa, DfaPattern::Make(regex, syntax));
      ASSERT_OK_AND_ASSIGN(const auto pcre2, Pcre2Pattern::Make(regex, syntax));
      ExpectSame(regex, *dfa, *pcre2, Bytes::kAny);
    }
  }
}

// Not at each match anew.
TEST(DfaPatternTest, AskedStepsOfAFindAreLimited) {
  ASSERT_OK_AND_ASSIGN(
      const auto pattern,
      DfaPattern::Make("[bc]|a(?=(?:a|aa)*!)", RegexSyntax::kFancyRegex));
  std::string text;
  for (int i = 0; i < 100; ++i) text += "c" + std::string(24, 'a');
  std::vector<TextPattern::Found> found(1000);
  EXPECT_THAT(pattern->Find(text, 0, {found.data(), 1}), testing::IsOk());
  EXPECT_THAT(
      pattern->Find(text, 0, found).status(),
      StatusIs(StatusCode::kResourceExhausted, HasSubstr("takes more than")));
}

// What needs no automaton.
TEST(SpaceRunsTest, IsThatExpression) {
  for (const RegexSyntax syntax : kSyntaxes) {
    ASSERT_OK_AND_ASSIGN(const auto dfa,
                         DfaPattern::Make(SpaceRuns::kRegex, syntax));
    ExpectSame(" {2,}", SpaceRuns(), *dfa, Bytes::kAny);
    EXPECT_EQ(SpaceRuns().behind_letters().stops, dfa->behind_letters().stops);
    EXPECT_EQ(SpaceRuns().behind_letters().ends, dfa->behind_letters().ends);
    EXPECT_EQ(SpaceRuns().LastChars() << 128, dfa->LastChars() << 128);
  }
}

TEST(DfaPatternTest, TellsWhatReachesOverTheEndOfLetters) {
  constexpr std::string_view kLlama3 =
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,4})"
      R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  const struct {
    std::string_view regex;
    bool stops, ends;
  } cases[] = {
      {kLlama3, true, true},
      {R"( ?\p{L}[\p{L}\p{M}']*|\s+)", true, true},
      {R"(\p{N}{1,3})", true, false},  // letters are between matches
      {R"([a-z]+)", true, false},      // others are
      {R"(\p{L}{2})", true, false},    // a single one may be
      {R"(\p{L}\p{L}|\d)", true, false},
      {R"(\p{L}+ ?|.)", false, false},     // the match goes on
      {R"(\p{L}+(?! )|.)", false, false},  // what follows decides
      {R"(\p{L}+(?!\z)|.)", false, false},
      {R"((?<=\p{L}) |\p{L}+)", false, false},  // what was before decides
      {R"(\p{L}+(?= \d)|.)", false, false},     // who is asked may look there
      {R"(\d(?=a )|\p{L}+)", false, false},     // behind the letter, too
      {R"(\p{L}(?!\p{L})(?= \d)|.)", false, false},
      {R"(\p{L}+(?:\d\d)?)", false, false},
  };
  for (const auto& [regex, stops, ends] : cases) {
    ASSERT_OK_AND_ASSIGN(const auto pattern,
                         DfaPattern::Make(regex, RegexSyntax::kFancyRegex));
    EXPECT_EQ(pattern->behind_letters().stops, stops) << regex;
    EXPECT_EQ(pattern->behind_letters().ends, ends) << regex;
  }
}

TEST(DfaPatternTest, RefusesWhatItCannotMatch) {
  const struct {
    const char* regex;
    const char* words;
  } cases[] = {
      {"a*", "a match that may be empty"},
      {"(?=a)", "a match that may be empty"},
      {"(a)\\1", "\\1 is not supported"},
      {"(?<=bc)a", "what asks everywhere"},
      {"b|(?>ab|a)b", "what asks everywhere"},
      {"a*b", "for long without a match"},
      {R"(\s+$|\S)", "for long without a match"},
      {"ab*c|b+d", "for long without a match"},
      {"(?:ab)*c", "for long without a match"},
      {"(?:b{100}){41}", "that much"},
      {"[ab]{0,14}a[ab]{14}", "that much"},
  };
  for (const auto& [regex, words] : cases) {
    EXPECT_THAT(DfaPattern::Make(regex, RegexSyntax::kFancyRegex).status(),
                StatusIs(kUnimplemented, HasSubstr(words)))
        << regex;
  }
}

}  // namespace
}  // namespace penstock
