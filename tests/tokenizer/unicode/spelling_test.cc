// How files write bytes and tokens: base64, the byte alphabet, the classes of
// characters.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/regex/regex_properties.h"
#include "tokenizer/unicode/base64.h"
#include "tokenizer/unicode/byte_alphabet.h"
#include "tokenizer/unicode/char_set.h"
#include "tokenizer/unicode/han.h"
#include "tokenizer/unicode/unicode_data.h"

namespace penstock {
namespace {

TEST(Base64Test, DecodesTheVectorsOfRfc4648) {
  EXPECT_EQ(DecodeBase64(""), "");
  EXPECT_EQ(DecodeBase64("Zg=="), "f");
  EXPECT_EQ(DecodeBase64("Zm8="), "fo");
  EXPECT_EQ(DecodeBase64("Zm9v"), "foo");
  EXPECT_EQ(DecodeBase64("Zm9vYmFy"), "foobar");
  EXPECT_EQ(DecodeBase64("/+8="), "\xff\xef");
}

TEST(Base64Test, DecodesTextOfEveryLength) {
  std::string bytes;
  for (uint32_t i = 0; i < 400; ++i) {
    EXPECT_EQ(DecodeBase64(testing::Base64(bytes)), bytes) << i;
    bytes += static_cast<char>(i * 2654435761u >> 24);
  }
}

TEST(Base64Test, RefusesEachOtherByteAtEachPlace) {
  std::string bytes;
  for (int i = 0; i < 150; ++i) bytes += static_cast<char>(i * 37);
  const std::string text = testing::Base64(bytes);
  ASSERT_EQ(text.size(), 200u);
  for (size_t at = 0; at < text.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = text;
      changed[at] = static_cast<char>(byte);
      const bool is_digit =
          (byte < 0x80 && std::isalnum(byte)) || byte == '+' || byte == '/';
      const bool is_padding = byte == '=' && at == text.size() - 1;
      if (is_padding) continue;  // as the bits before it are
      EXPECT_EQ(DecodeBase64(changed).has_value(), is_digit)
          << byte << " at " << at;
    }
  }
}

TEST(Base64Test, RefusesWhatIsNotBase64) {
  for (const char* text : {"Zg", "Zg=", "Z===", "Zg==Zg==", "Zm9v\n", "Zm-v",
                           "Zh==", "=", "===="}) {
    EXPECT_EQ(DecodeBase64(text), std::nullopt) << text;
  }
}

TEST(ByteAlphabetTest, SpellsAsGpt2Does) {
  // The four kinds of stand-in, from the vocabulary file of GPT-2.
  EXPECT_EQ(SpellBytes(" the\n"), "\u0120the\u010a");
  EXPECT_EQ(SpellBytes(std::string(1, '\0')), "\u0100");
  EXPECT_EQ(SpellBytes("\x7f\xa0\xad"), "\u0121\u0142\u0143");
  EXPECT_EQ(SpellBytes("\xa1\xff~"), "\u00a1\u00ff~");
}

TEST(ByteAlphabetTest, EveryByteIsReadBack) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  EXPECT_EQ(BytesOfSpelling(SpellBytes(bytes)), bytes);
}

TEST(ByteAlphabetTest, OtherCharactersAreNoSpelling) {
  for (const char* text : {" ", "\n", "\x7f", "\u0080", "\u00ad", "\u0144",
                           "\u65e5", "\xc4", "\xc4\x41", "\xff"}) {
    EXPECT_EQ(BytesOfSpelling(text), std::nullopt) << text;
  }
}

int CountOf(uint8_t bits) {
  int count = 0;
  for (uint32_t c = 0; c < 0x110000; ++c) count += (ClassOf(c) & bits) != 0;
  return count;
}

TEST(UnicodeDataTest, WhiteSpaceHasTwentyFiveCharacters) {
  EXPECT_EQ(CountOf(kSpace), 25);
  EXPECT_EQ(ClassOf(0x3000), kSpace);
  EXPECT_EQ(ClassOf(0x180e), 0);  // a space until Unicode 6.3
  EXPECT_EQ(ClassOf(0x200b), 0);
}

TEST(UnicodeDataTest, ClassesAreThoseOfVersion16) {
  EXPECT_STREQ(kUnicodeVersion, "16.0.0");
  EXPECT_EQ(ClassOf(0x1c89), kLetter | kUpper);  // new in 16.0
  EXPECT_EQ(ClassOf(0xa7dc), kLetter | kUpper);  // new in 16.0
  EXPECT_EQ(ClassOf(0x0295), kLetter | kLower);  // Lo only from 17.0 on
  EXPECT_EQ(ClassOf(0x01c5), kLetter | kUpper);  // Lt
  EXPECT_EQ(ClassOf(0x02b0), kLetter);           // Lm
  EXPECT_EQ(ClassOf(0x65e5), kLetter);           // Lo
  EXPECT_EQ(ClassOf(0x0301), kMark);             // Mn
  EXPECT_EQ(ClassOf(0x2167), kNumber);           // Nl
  EXPECT_EQ(ClassOf(0x00b2), kNumber);           // No
  EXPECT_EQ(ClassOf(0x10ffff), 0);
}

TEST(UnicodeDataTest, SignsArePunctuationAndSymbols) {
  // Expressions have these from other tables.
  std::vector<bool> signs(0x110000);
  for (const char* category : {"P", "S"}) {
    const CharSet set = CharSet::Category(category).value();
    for (const CharSet::Range range : set.ranges()) {
      std::fill(signs.begin() + range.first, signs.begin() + range.last + 1,
                true);
    }
  }
  for (uint32_t c = 0; c < 0x110000; ++c) {
    EXPECT_EQ((ClassOf(c) & kSign) != 0, signs[c]) << std::hex << c;
  }
}

TEST(UnicodeDataTest, HanIsTheScript) {
  RegexProperties properties(RegexSyntax::kFancyRegex);
  std::vector<bool> is_han(0x110000);
  for (const CharSet::Range range : properties.Named("Han")->ranges()) {
    std::fill(is_han.begin() + range.first, is_han.begin() + range.last + 1,
              true);
  }
  for (uint32_t c = 0; c < 0x110000; ++c) {
    EXPECT_EQ(IsHan(c), is_han[c]) << std::hex << c;
  }
  EXPECT_FALSE(IsHan(0xffffffff));
}

TEST(UnicodeDataTest, AsciiIsTheFirstBlock) {
  for (unsigned char c = 0; c < 0x80; ++c) {
    EXPECT_EQ(ClassOfAscii(c), ClassOf(c));
  }
}

}  // namespace
}  // namespace penstock
