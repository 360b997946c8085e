// Text is cut before spaces where normalizer and splitter cannot tell, and ids
// are remembered of parts. Where origins are asked for it is not cut.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/components/space_kinds.h"
#include "tests/tokenizer/components/words.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/interface/stream_encoder.h"
#include "tokenizer/normalizers/text_normalizers.h"
#include "tokenizer/splitters/space_cutter.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

using nlohmann::json;
using testing::Cases;
using testing::DrawSpacedText;
using ::testing::ElementsAre;
using testing::Ids;
using testing::MakeSpaceKind;
using testing::MatchedSpaceKinds;
using testing::ParseWords;
using testing::SpaceKind;
using testing::SpaceKinds;
using testing::Words;
using testing::WordsWith;

TEST(SpacePartsTest, IdsOfPartsAreThoseOfTheWholeText) {
  for (const SpaceKind& kind : SpaceKinds()) {
    const auto tokenizer = MakeSpaceKind(kind);
    std::mt19937 random(5);
    for (int i = 0; i < Cases(1500); ++i) {
      const std::string text = DrawSpacedText(random);
      std::vector<TokenId> ids;
      std::vector<TokenOrigin> origins;
      ASSERT_OK(tokenizer->EncodeWithOrigins(text, {}, ids, origins));
      ASSERT_EQ(Ids(*tokenizer, text), ids)
          << ::testing::PrintToString(text) << kind.normalizer << kind.splitter;
    }
  }
}

// Parts with such tokens are not remembered, or a call would get what another
// asked for.
TEST(SpacePartsTest, NormalizedTokensAreWhatEachCallTakesThemFor) {
  for (const SpaceKind& kind : MatchedSpaceKinds()) {
    const auto tokenizer = MakeSpaceKind(kind);
    std::mt19937 random(7);
    for (int i = 0; i < Cases(1500); ++i) {
      const std::string text = DrawSpacedText(random) + " ab` b`";
      const EncodeOptions options = {
          .special_text = std::array{SpecialText::kAllow, SpecialText::kAsText,
                                     SpecialText::kRefuse}[random() % 3]};
      std::vector<TokenId> ids, parts;
      std::vector<TokenOrigin> origins;
      const Status whole =
          tokenizer->EncodeWithOrigins(text, options, ids, origins);
      ASSERT_EQ(tokenizer->Encode(text, options, parts).ToString(),
                whole.ToString());
      if (!whole.ok()) continue;
      ASSERT_EQ(parts, ids) << ::testing::PrintToString(text) << kind.added;
    }
  }
}

TEST(SpacePartsTest, LongTextsHaveTheIdsOfTheWhole) {
  std::mt19937 random(9);
  std::string text;
  while (text.size() < 100000) text += DrawSpacedText(random);
  const std::string long_word(40000, 'a');
  for (const SpaceKind& kind : SpaceKinds()) {
    const auto tokenizer = MakeSpaceKind(kind);
    for (const std::string& all : {text, text + long_word + text}) {
      std::vector<TokenId> ids;
      std::vector<TokenOrigin> origins;
      ASSERT_OK(tokenizer->EncodeWithOrigins(all, {}, ids, origins));
      ASSERT_EQ(Ids(*tokenizer, all), ids) << kind.normalizer << kind.splitter;
    }
  }
}

// Streams and threads cut where SafeCut says.
TEST(SpacePartsTest, TextIsCutBeforeSpacesWhateverFollows) {
  for (const SpaceKind& kind : SpaceKinds()) {
    const auto tokenizer = MakeSpaceKind(kind);
    EXPECT_EQ(tokenizer->SafeCut("ab ab b"), kind.cuts ? 5u : 0u)
        << kind.normalizer << kind.splitter;
    std::mt19937 random(6);
    for (int i = 0; i < Cases(300); ++i) {
      std::string text = DrawSpacedText(random);
      for (int n = random() % 4; n > 0 && !text.empty(); --n) {
        // Not UTF-8, or what makes other characters of some.
        text[random() % text.size()] = "\xff\xe3\xa9\xf0 "[random() % 5];
      }
      size_t size = text.empty() ? 0 : random() % text.size();
      const size_t cut =
          tokenizer->SafeCut(std::string_view(text).substr(0, size));
      if (cut == 0) continue;
      ASSERT_LT(cut, size);
      std::vector<TokenId> ids = Ids(*tokenizer, text.substr(0, cut));
      const std::string_view rest = std::string_view(text).substr(cut);
      const size_t first = ids.size();
      ASSERT_OK(tokenizer->Encode(rest, {.begins_text = false}, ids));
      if (IsValidUtf8(rest)) {
        std::vector<TokenId> same;
        std::vector<TokenOrigin> origins;
        ASSERT_OK(tokenizer->EncodeWithOrigins(rest, {.begins_text = false},
                                               same, origins));
        EXPECT_TRUE(std::ranges::equal(std::span(ids).subspan(first), same));
      }
      ASSERT_EQ(ids, Ids(*tokenizer, text))
          << ::testing::PrintToString(text) << " at " << cut << kind.normalizer
          << kind.splitter;
    }
  }
}

TEST(SpacePartsTest, StreamsHoldLittleMoreThanTheLastWord) {
  std::string words;
  for (int i = 0; i < 5000; ++i) words += "ab ab\u65e5 b \u00e9\n";
  for (const SpaceKind& kind : SpaceKinds()) {
    if (!kind.cuts) continue;
    const auto tokenizer = MakeSpaceKind(kind);
    StreamEncoder encoder(*tokenizer);
    std::vector<TokenId> ids;
    for (size_t at = 0; at < words.size(); at += 100) {
      ASSERT_OK(encoder.Add(std::string_view(words).substr(at, 100), ids));
      ASSERT_LT(encoder.held_bytes(), 200u) << kind.normalizer << kind.splitter;
    }
    ASSERT_OK(encoder.Finish(ids));
    EXPECT_EQ(ids, Ids(*tokenizer, words)) << kind.normalizer << kind.splitter;
  }
}

bool Always(uint32_t, uint32_t) { return true; }

std::vector<size_t> Split(const SpaceCutter& cutter, std::string_view text,
                          size_t at_once) {
  std::vector<size_t> all;
  std::vector<size_t> ends(at_once);
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t count = cutter.Split(text, begin, ends);
    EXPECT_GT(count, 0u);
    all.insert(all.end(), ends.begin(), ends.begin() + count);
    begin = ends[count - 1];
    EXPECT_EQ(count < at_once || begin == text.size(), begin == text.size());
  }
  return all;
}

TEST(SpaceCutterTest, PartsBeginWithSpacesBehindOtherCharacters) {
  const SpaceCutter cutter(nullptr, Always);
  EXPECT_THAT(Split(cutter, "ab  c d\n e ", 10), ElementsAre(2, 5, 8, 10, 11));
  EXPECT_THAT(Split(cutter, " a", 10), ElementsAre(2));
  EXPECT_THAT(Split(cutter, "\u00e9 \u65e5 ", 10), ElementsAre(2, 6, 7));
  const NmtNormalizer nmt;
  EXPECT_THAT(Split(SpaceCutter(&nmt, Always), "ab\nc\r\n d\u200b e", 10),
              ElementsAre(2, 13));
}

TEST(SpaceCutterTest, PlacesAreTheSameHoweverManyAreWantedAtOnce) {
  const SpaceCutter cutter(nullptr, Always);
  std::mt19937 random(8);
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (size_t n = random() % 400; n > 0; --n) {
      text += random() % 4 == 0 ? " " : random() % 9 == 0 ? "\u00e9" : "a";
    }
    const auto all = Split(cutter, text, 1000);
    for (const size_t at_once : {1, 2, 3, 64}) {
      ASSERT_EQ(Split(cutter, text, at_once), all) << text;
    }
    std::vector<size_t> expected;
    for (size_t at = 1; at < text.size(); ++at) {
      if (text[at] == ' ' && text[at - 1] != ' ') expected.push_back(at);
    }
    if (!text.empty()) expected.push_back(text.size());
    ASSERT_EQ(all, expected) << text;
  }
}

}  // namespace
}  // namespace penstock
