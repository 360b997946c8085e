// What a character map tells of single characters when it is read.
#include "tokenizer/normalizers/charsmap_normalizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "tests/support/status_matchers.h"
#include "tests/tokenizer/sentencepiece/tiny_sentencepiece.h"
#include "tokenizer/unicode/hf_unicode.h"
#include "tokenizer/unicode/utf8.h"

namespace penstock::testing {
namespace {

std::unique_ptr<const CharsmapNormalizer> Parse(const Rules& rules) {
  auto map = CharsmapNormalizer::Parse(TinyCharsmap(rules));
  EXPECT_OK(map.status());
  return *std::move(map);
}

std::string Utf8Of(uint32_t c) {
  std::string text;
  AppendChar(c, text);
  return text;
}

TEST(CharsmapNormalizerTest, ABlankStaysBehindEachCharacterThatDoes) {
  const uint32_t replaced[] = {0x1,    0x3f,   0x40,   0x7f,   0x80,   0xbf,
                               0xc0,   0x7ff,  0x800,  0x83f,  0x3042, 0x307f,
                               0x3080, 0xac00, 0xac1d, 0xd7a3, 0xe000, 0xffff};
  std::vector<std::string> texts;
  for (const uint32_t c : replaced) texts.push_back(Utf8Of(c));
  Rules rules;
  for (const std::string& text : texts) rules.emplace_back(text, "x");
  const auto map = Parse(rules);
  for (uint32_t c = 0; c < 0x10000; ++c) {
    const int kind = hf_unicode::GraphemeOf(c) & hf_unicode::kGraphemeMask;
    const bool is_alone =
        (c < 0xd800 || c >= 0xe000) &&
        (kind == hf_unicode::kGraphemeOther ||
         kind == hf_unicode::kGraphemeLv || kind == hf_unicode::kGraphemeLvt);
    const bool stays = is_alone && std::ranges::count(replaced, c) == 0;
    EXPECT_EQ(map->BlankBehind(c, ' '), stays ? ' ' : 0u) << c;
  }
}

TEST(CharsmapNormalizerTest, AReplacementOfMoreThan64BytesIsSeenWhereverItIs) {
  for (const size_t before : {0, 1, 2, 31, 63, 64}) {
    for (const size_t size : {0, 1, 63, 64, 65, 66, 128, 129, 130, 1000}) {
      const std::string short_one(before, 'y');
      const std::string long_one(size, 'z');
      for (const Rules& rules :
           {Rules{{"a", long_one}}, Rules{{"a", short_one}, {"b", long_one}},
            Rules{{"a", long_one}, {"b", short_one}},
            Rules{{"a", short_one}, {"b", long_one}, {"c", short_one}}}) {
        EXPECT_EQ(Parse(rules)->BlankBehind('x', ' '), size > 64 ? 0u : ' ')
            << size << " behind " << before;
      }
    }
  }
}

}  // namespace
}  // namespace penstock::testing
