// A character at a time, by the same table of classes.
#include "tokenizer/unicode/char_block.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

#include "tests/support/effort.h"
#include "tokenizer/unicode/avx512.h"
#include "tokenizer/unicode/char_scan.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

using testing::Cases;

// That each character of `text`, whose block it is, has the bits of its class,
// or those of `wide` alone.
void ExpectClasses(std::string_view text, const CharBlock& block) {
  for (size_t at = 0; at < text.size();) {
    const Char c = CharAt(text, at);
    const uint64_t first = uint64_t{1} << at;
    const uint64_t all = (((uint64_t{1} << c.size_bytes) - 1) << at);
    const auto expect = [&](uint64_t bits, bool has, const char* what) {
      ASSERT_EQ(bits & all, has ? all : 0)
          << what << " of U+" << std::hex << c.code_point << " at " << at;
    };
    const bool wide = (block.wide & all) != 0;
    const auto is = [&](uint8_t some) {
      return !wide && (c.char_class & some) != 0;
    };
    ASSERT_TRUE(!wide || c.code_point >= 0x80);
    ASSERT_TRUE(wide || c.code_point != kNotACharacter);
    expect(block.wide, wide, "wide");
    expect(block.letters, is(kLetter), "letter");
    expect(block.capitals, is(kUpper), "capital");
    expect(block.caseless, is(kLetter) && !is(kUpper | kLower), "caseless");
    expect(block.others, !wide && !is(kLetter | kNumber | kSpace), "other");
    expect(block.digits, is(kNumber), "digit");
    expect(block.spaces, is(kSpace), "space");
    ASSERT_EQ(block.inner & all, wide ? 0 : all & ~first)
        << "U+" << std::hex << c.code_point << " at " << at;
    at += c.size_bytes;
  }
}

bool TellsAllAtOnce() {
#if defined(__x86_64__)
  return avx512::IsThere();
#else
  return false;
#endif
}

// At once, where the processor can, and one by one.
void ExpectClasses(std::string_view text) {
  ASSERT_EQ(text.size(), CharBlock::kBytes);
  ASSERT_NO_FATAL_FAILURE(ExpectClasses(text, CharBlock(text.data())));
  ExpectClasses(text, CharBlock::OneByOne(text.data()));
}

TEST(CharBlockTest, EveryCharacterHasItsClassOrIsNotTold) {
  std::string text;
  for (uint32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xd800 && c < 0xe000) continue;
    AppendChar(c, text);
    if (text.size() < CharBlock::kBytes - 4) continue;
    text.resize(CharBlock::kBytes, '.');
    ASSERT_NO_FATAL_FAILURE(ExpectClasses(text));
    // The next ones begin at another place, behind others.
    text.assign(c % 5, c % 2 == 0 ? 'a' : ' ');
  }
}

TEST(CharBlockTest, ReadableTextIsTold) {
  for (const std::string_view text :
       {"é",        "Ω",  "ж",  "א", "日本語", "한국어", "ひらがな",
        "カタカナ", "ệ",  "’",  "“", "—",      "…",      "。",
        "、",       "，", "Ｆ", "─", "€",      "×"}) {
    std::string padded(text);
    padded.resize(CharBlock::kBytes, ' ');
    EXPECT_EQ(CharBlock(padded.data()).wide, 0) << text;
    EXPECT_EQ(CharBlock::OneByOne(padded.data()).wide, 0) << text;
  }
}

// Behind one that is told, all are that can be.
TEST(CharBlockTest, WhatIsToldMayBeTold) {
  if (!TellsAllAtOnce()) GTEST_SKIP() << "no AVX-512: told one by one";
  for (uint32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xd800 && c < 0xe000) continue;
    std::string behind("é");
    AppendChar(c, behind);
    behind.resize(CharBlock::kBytes, ' ');
    if (CharBlock(behind.data()).wide != 0) continue;
    for (const std::string_view before : {"", "a"}) {
      std::string text(before);
      AppendChar(c, text);
      text += "  ";
      ASSERT_TRUE(CharBlock::MayTell(text.data()))
          << "U+" << std::hex << c << " behind \"" << before << '"';
    }
  }
}

TEST(CharBlockTest, MarksWithinWordsMayNotBeTold) {
  for (const std::string_view c : {"ក", "ា", "का", "\u00a0", "\U0001f600"}) {
    for (const std::string_view before : {"", "a"}) {
      const std::string text = std::string(before).append(c).append("  ");
      EXPECT_FALSE(CharBlock::MayTell(text.data())) << text;
    }
  }
}

TEST(CharBlockTest, WhatIsNoCharacterIsNotTold) {
  // Cut off, too long a form, a surrogate, above the last, a stray byte; also
  // before what could be their rest, but for one byte.
  for (const std::string_view bytes :
       {"\xc3", "\xe3", "\xe3\x81", "\xc1\xa1", "\xe0\x9a\x80", "\xed\xa0\x80",
        "\xf4\x90\x80\x80", "\x80", "\xbf", "\xff", "\xf5\x80\x80\x80"}) {
    for (const std::string_view behind : {"a", "é", "日"}) {
      for (const size_t before : {0, 1, 30, 50}) {
        std::string text(before, 'a');
        text.append(bytes).append(behind);
        text.resize(CharBlock::kBytes, 'z');
        ASSERT_NO_FATAL_FAILURE(ExpectClasses(text));
      }
    }
  }
}

TEST(CharBlockTest, WhatTheBlockCutsOffIsNotTold) {
  for (const std::string_view c : {"é", "日", "’", "\U0001f600"}) {
    for (size_t held = 1; held < c.size(); ++held) {
      std::string text(CharBlock::kBytes - held, 'a');
      text += c;
      for (const CharBlock& block :
           {CharBlock(text.data()), CharBlock::OneByOne(text.data())}) {
        EXPECT_EQ(block.wide, ~uint64_t{0} << (CharBlock::kBytes - held)) << c;
        EXPECT_EQ(block.letters, ~block.wide) << c;
        EXPECT_EQ(block.inner | block.others, 0) << c;
      }
    }
  }
}

TEST(CharBlockTest, MixedTexts) {
  // Blocks of drawn pages, so that a text has letters that are near each other.
  std::mt19937 random(3);
  for (int i = 0; i < Cases(20000); ++i) {
    const uint32_t page = random() % 4 == 0 ? random() % 0x200 : random() % 32;
    std::string text;
    while (text.size() < CharBlock::kBytes) {
      switch (random() % 4) {
        case 0:
          text += static_cast<char>(random() % 0x80);
          break;
        case 1:
          text += static_cast<char>(random() % 0x100);
          break;
        default:
          AppendChar(page << 7 | (random() & 0x7f), text);
      }
    }
    // What is cut off is another test's.
    while (text.size() > CharBlock::kBytes) text.pop_back();
    for (size_t k = 1; k <= 3; ++k) text[CharBlock::kBytes - k] = '.';
    ASSERT_NO_FATAL_FAILURE(ExpectClasses(text));
  }
}

}  // namespace
}  // namespace penstock
