#include "tokenizer/patterns/regex_pattern.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"
#include "tokenizer/regex/pcre2_pattern.h"
#include "tokenizer/regex/re2_pattern.h"
#include "tokenizer/regex/regex_parser.h"

namespace penstock {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::kExhausted;
using testing::kUnimplemented;
using testing::StatusIs;

constexpr auto kOniguruma = RegexSyntax::kOniguruma;
constexpr auto kFancyRegex = RegexSyntax::kFancyRegex;

const json& RegexVectors() {
  static const json& vectors = *new json(
      json::parse(std::ifstream("tests/tokenizer/patterns/regex_vectors.json"),
                  nullptr, false));
  return vectors;
}

RegexSyntax SyntaxOf(const json& vector) {
  return vector["syntax"] == "oniguruma" ? kOniguruma : kFancyRegex;
}

// The matches, found `batch` at a time.
std::vector<std::string> Matches(const TextPattern& pattern,
                                 std::string_view text, size_t batch) {
  std::vector<TextPattern::Found> found(batch);
  std::vector<std::string> matches;
  size_t from = 0;
  size_t count;
  do {
    const auto some = pattern.Find(text, from, found);
    EXPECT_OK(some);
    count = some.ok() ? *some : 0;
    for (size_t i = 0; i < count; ++i) {
      const auto [begin, end] = found[i];
      EXPECT_LE(from, begin);
      matches.emplace_back(text.substr(begin, end - begin));
      from = end;
    }
  } while (count == batch);
  return matches;
}

class RegexVectorsTest : public ::testing::TestWithParam<size_t> {
 protected:
  void Check(const TextPattern& pattern) {
    const json& texts = RegexVectors()["texts"];
    for (size_t i = 0; i < texts.size(); ++i) {
      const auto text = texts[i].get<std::string>();
      EXPECT_EQ(Matches(pattern, text, 1000), vector_["matches"][i])
          << vector_["regex"] << " in " << texts[i];
      EXPECT_EQ(Matches(pattern, text, 1), vector_["matches"][i])
          << vector_["regex"] << " in " << texts[i];
    }
  }

  const json& vector_ = RegexVectors()["cases"][GetParam()];
  const std::string regex_ = vector_["regex"].get<std::string>();
};
INSTANTIATE_TEST_SUITE_P(Cases, RegexVectorsTest,
                         ::testing::Range(size_t{0},
                                          RegexVectors()["cases"].size()));

TEST_P(RegexVectorsTest, MatchesAreTheReferences) {
  ASSERT_OK_AND_ASSIGN(const auto pattern,
                       MakeRegexPattern(regex_, SyntaxOf(vector_)));
  Check(*pattern);
}

TEST_P(RegexVectorsTest, Pcre2MatchesWhatRe2CanMatchToo) {
  ASSERT_OK_AND_ASSIGN(const auto pattern,
                       Pcre2Pattern::Make(regex_, SyntaxOf(vector_)));
  Check(*pattern);
}

// The windows of one match at a time are small, and begin elsewhere.
TEST_P(RegexVectorsTest, WindowsDoNotShowInLongTexts) {
  ASSERT_OK_AND_ASSIGN(const auto pattern,
                       Pcre2Pattern::Make(regex_, SyntaxOf(vector_)));
  std::string all;
  for (const json& text : RegexVectors()["texts"]) {
    all += text.get<std::string>() + std::string(70, 'a') + "\xff ";
  }
  const auto matches = Matches(*pattern, all, 100000);
  EXPECT_EQ(Matches(*pattern, all, 1), matches) << regex_;
  EXPECT_EQ(Matches(*pattern, all, 7), matches) << regex_;
}

TEST(RegexPatternTest, WhatCannotBeShownToMeanTheSameIsNamed) {
  const struct {
    std::string regex, words;
    RegexSyntax syntax = kOniguruma;
  } cases[] = {
      {R"((a)\1)", R"(\1 is not supported)"},
      {R"(a\Kb)", R"(\K is not supported)"},
      {R"(\Ga)", R"(\G is not supported)"},
      {R"(\X)", R"(\X is not supported)"},
      {R"(\R)", R"(\R is not supported)"},
      {R"(a\Z)", R"(\Z is not supported)", kFancyRegex},
      {R"(\<a)", R"(\< is not supported)", kFancyRegex},
      {R"((?~ab)x)", "the group (?~a..."},
      {R"((?(1)a|b))", "the group (?(1..."},
      {R"((?<n>a)\g<n>)", R"(\g is not supported)"},
      {R"(a(?i)b|c)", "the group (?i)..."},
      {R"((?x: a))", "the group (?x:..."},
      {R"((?m:a))", "the group (?m:...", kFancyRegex},
      {R"((*FAIL)a)", "the group (*FA..."},
      {R"((?<=a+)b)", "look-behind of no fixed length"},
      {R"((?<=a(?:b|cd))e)", "look-behind of no fixed length"},
      {R"((?:a*)+b)", "+ behind what may be empty"},
      {R"(^*a)", "* behind what may be empty"},
      {R"((?=a)?b)", "? behind what may be empty"},
      {R"(\b?a)", "? behind what may be empty"},
      {R"(a**)", "repetition of repetition"},
      {R"(a*|b)", "a match that may be empty", kFancyRegex},
      {R"(\b)", "a match that may be empty", kFancyRegex},
      {R"(a{2}?)", "{2}? is not supported"},
      {R"(a{,2})", "a brace", kFancyRegex},
      {R"(a{3,1})", "a brace"},
      {R"(a{1001})", "a brace"},
      {R"(a{b)", "a brace"},
      {R"([[:alpha:]])", "[:alpha:] is not supported"},
      {R"([[:digit:]])", "[:digit:] is not supported", kFancyRegex},
      {R"([a-c--b])", "that - in a class", kFancyRegex},
      {R"([]a])", "a class that begins with ]"},
      {R"([\w-a])", "that range"},
      {R"([a-\d])", "that range"},
      {R"([&&a])", "that && in a class"},
      {R"((?i:ss))", "ss in (?i:...)"},
      {R"((?i:é))", "that in (?i:...)"},
      {R"((?i:[é]))", "that class in (?i:...)"},
      {R"((?i:\p{L}))", R"(\p in (?i:...))"},
      {R"(\p{Emoji})", R"(\p{Emoji} is not supported)"},
      {R"(\p{\w})", R"(\p{\w} is not supported)"},
      {R"(\pL)", R"(\p{} is not supported)"},
      {"(a", "a group that does not end"},
      {"a)", "a group that does not begin"},
      {"[a", "a class that does not end"},
      {"a\\", "a backslash at the end"},
      {"+a", "+ there is not supported"},
  };
  for (const auto& [regex, words, syntax] : cases) {
    EXPECT_THAT(
        MakeRegexPattern(regex, syntax),
        StatusIs(kUnimplemented,
                 AllOf(HasSubstr("the pattern " + regex), HasSubstr(words))));
  }
}

// Was more than a minute: PCRE2 counts its steps anew at each place.
// As many as there may be take seconds, and are the same for a sanitizer.
TEST(RegexPatternTest, StepsAreCountedOverAllPlacesOfAText) {
  if (testing::kCaseStride != 1) GTEST_SKIP() << "tried without sanitizers";
  ASSERT_OK_AND_ASSIGN(const auto pattern,
                       MakeRegexPattern("(?:a{1,1000}){1,3}b", kOniguruma));
  std::vector<MatchedPart> parts;
  EXPECT_THAT(pattern->Match(std::string(10000, 'a'), parts),
              StatusIs(kExhausted, HasSubstr("steps")));
  EXPECT_OK(pattern->Match(std::string(20, 'a') + "b", parts));
}

// In Hugging Face tokenizers; tests/tokenizer/files/hf_loading.json has what it
// makes of such patterns. Here: behind the end of a window, or of a batch.
TEST(RegexPatternTest, EmptyMatchesAreAtEveryPlaceButTheEndOfTheMatchBefore) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "xx\u00e9a";
  const auto places_of = [&](const char* regex, auto make) {
    const auto pattern = make(regex, kOniguruma);
    EXPECT_OK(pattern);
    std::vector<MatchedPart> parts;
    EXPECT_OK((*pattern)->Match(text, parts));
    std::vector<size_t> places;
    for (const MatchedPart& part : parts) {
      if (part.is_match) places.insert(places.end(), {part.begin, part.end});
    }
    return places;
  };
  std::vector<size_t> runs, places;
  for (size_t at = 0; at < text.size(); at += 5) {
    // "xx" ends where nothing matches again; before "a", and at the end.
    runs.insert(runs.end(), {at, at + 2, at + 4, at + 4});
    places.insert(places.end(),
                  {at, at, at + 1, at + 1, at + 2, at + 2, at + 4, at + 4});
  }
  runs.insert(runs.end(), {text.size(), text.size()});
  places.insert(places.end(), {text.size(), text.size()});
  EXPECT_EQ(places_of("x*", &Re2Pattern::Make), runs);
  EXPECT_EQ(places_of("(?:)", &Re2Pattern::Make), places);
  EXPECT_EQ(places_of("x*", &Pcre2Pattern::Make), runs);
  EXPECT_EQ(places_of("(?:)", &Pcre2Pattern::Make), places);
}

// Every kind of nesting, as a file from elsewhere may have it.
TEST(RegexPatternTest, HugeExpressionsAreRefused) {
  const auto repeat = [](size_t count, std::string_view text) {
    std::string all;
    for (size_t i = 0; i < count; ++i) all += text;
    return all;
  };
  const auto status = [](const std::string& regex) {
    return MakeRegexPattern(regex, kOniguruma).status();
  };
  EXPECT_THAT(status(repeat(100000, "a")),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("it has 100000 bytes, more than 16384")));
  EXPECT_THAT(status(repeat(5000, "(") + "a" + repeat(5000, ")")),
              StatusIs(kUnimplemented, HasSubstr("a group that deep")));
  EXPECT_THAT(status(repeat(5000, "[") + "a" + repeat(5000, "]")),
              StatusIs(kUnimplemented, HasSubstr("a class that deep")));
  EXPECT_THAT(status("((((a{900}){900}){900}){900})(?=b)"),
              StatusIs(kUnimplemented, HasSubstr("too large")));
  std::string kinds;
  for (char32_t c = 0x4e00; c < 0x4e00 + 300; ++c) {
    kinds += {static_cast<char>(0xe0 | c >> 12),
              static_cast<char>(0x80 | (c >> 6 & 0x3f)),
              static_cast<char>(0x80 | (c & 0x3f))};
  }
  EXPECT_THAT(
      status(kinds + "(?=a)"),
      StatusIs(kUnimplemented, HasSubstr("more than 255 kinds of characters")));
  EXPECT_OK(status("[" + kinds + "](?=a)"));
}

TEST(RegexPatternTest, WhatTriesTooManyWaysIsAnErrorNamingPatternAndPlace) {
  const std::string text = "b b " + std::string(200, 'a') + "!";
  ASSERT_OK_AND_ASSIGN(const auto pattern,
                       MakeRegexPattern("(a+)+\\z|b", kFancyRegex));
  std::vector<MatchedPart> parts;
  EXPECT_THAT(
      pattern->Match(text, parts),
      StatusIs(kExhausted, AllOf(HasSubstr("the pattern (a+)+\\z|b"),
                                 HasSubstr("4000000 steps at byte 3"))));
}

TEST(RegexPatternTest, OneLongMatchIsFound) {
  const std::string text = std::string(1 << 20, 'a') + "b";
  for (const char* regex : {"a+(?=b)", "(?>a+)(?=b)", "a+?(?=b)"}) {
    ASSERT_OK_AND_ASSIGN(const auto pattern,
                         MakeRegexPattern(regex, kOniguruma));
    std::vector<MatchedPart> parts;
    ASSERT_OK(pattern->Match(text, parts));
    ASSERT_EQ(parts.size(), 2u) << regex;
    EXPECT_EQ(parts[0].end, text.size() - 1);
  }
}

TEST(RegexPatternTest, WaysThatStayOpenHaveALimit) {
  const std::string text = std::string(16 << 20, 'a') + "b";
  ASSERT_OK_AND_ASSIGN(const auto pattern,
                       MakeRegexPattern("(?:a|c)+(?=b)", kOniguruma));
  std::vector<MatchedPart> parts;
  EXPECT_THAT(pattern->Match(text, parts),
              StatusIs(kExhausted, HasSubstr("(?:a|c)+(?=b)")));
}

TEST(RegexPatternTest, ABadByteIsAReplacementCharacter) {
  for (const char* regex :
       {"[^b]", "[^b](?!c)", "[^b](?!cc)", R"(\x{fffd}|[a😀])"}) {
    ASSERT_OK_AND_ASSIGN(const auto pattern,
                         MakeRegexPattern(regex, kFancyRegex));
    EXPECT_EQ(Matches(*pattern,
                      "a\xff\xe6\x97"
                      "b\xf0\x9f\x98\x80",
                      100),
              (std::vector<std::string>{"a", "\xff", "\xe6", "\x97",
                                        "\xf0\x9f\x98\x80"}))
        << regex;
  }
}

}  // namespace
}  // namespace penstock
