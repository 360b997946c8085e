#include "tokenizer/regex/symbol_re2_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tokenizer/regex/re2_pattern.h"

namespace penstock {
namespace {

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

// Runs of characters of one kind, some longer than a window.
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

TEST(SymbolRe2PatternTest, FindsInWindowsWhatRe2FindsInTheWholeText) {
  for (
      const char* regex :
      {R"([^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}{1,2}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
       R"(\p{Lu}*\p{Ll}+(?:'s)?|\p{Lu}+|\s+)", R"(a(?:b*c)?|b|.)",
       R"((?:ab|a){2,5}?|\d+x)", R"((?:aa?b)+|a+1|[^a]{3})",
       R"(\s*[\r\n]|a*(?:!|'a))"}) {
    for (const RegexSyntax syntax :
         {RegexSyntax::kFancyRegex, RegexSyntax::kOniguruma}) {
      ASSERT_OK_AND_ASSIGN(const auto symbols,
                           SymbolRe2Pattern::Make(regex, syntax));
      ASSERT_OK_AND_ASSIGN(const auto bytes, Re2Pattern::Make(regex, syntax));
      for (uint32_t seed = 0; seed < 6; ++seed) {
        const std::string text = Runs(seed, 6000);
        const Places expected = AllMatches(*bytes, text, 256);
        EXPECT_GT(expected.size(), 0u);
        for (const size_t at_once : {1, 7, 256}) {
          EXPECT_EQ(AllMatches(*symbols, text, at_once), expected)
              << regex << ", " << seed << ", " << at_once;
        }
      }
    }
  }
}

TEST(SymbolRe2PatternTest, RefusesWhatItCannotMatch) {
  for (const char* regex : {"a*", R"(a(?=b))", R"(\Aa)", "(a)\\1"}) {
    EXPECT_THAT(SymbolRe2Pattern::Make(regex, RegexSyntax::kOniguruma).status(),
                ::testing::Not(testing::IsOk()))
        << regex;
  }
}

}  // namespace
}  // namespace penstock
