#include "tokenizer/unicode/ascii_set.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tokenizer/unicode/char_bytes.h"
#include "tokenizer/unicode/utf8.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

TEST(AsciiSetTest, HasWhatWasAdded) {
  for (size_t added = 0; added < AsciiSet::kEnd; ++added) {
    AsciiSet set;
    set.Add(added);
    for (size_t byte = 0; byte < 256; ++byte) {
      const std::string text = std::string(40, static_cast<char>(byte));
      EXPECT_EQ(set.Has(static_cast<unsigned char>(byte)), byte == added);
      EXPECT_EQ(set.EndOfRun(text, 3), byte == added ? 40u : 3u) << byte;
    }
  }
}

// Runs that end anywhere in what is looked at together, and before the end of
// the text.
TEST(AsciiSetTest, FindsTheEndOfARun) {
  std::mt19937 random(5);
  for (int i = 0; i < 20000; ++i) {
    AsciiSet set;
    for (size_t c = random() % 8; c < AsciiSet::kEnd; c += 1 + random() % 8) {
      set.Add(c);
    }
    std::string text(random() % 60, '\0');
    for (char& c : text) {
      do {
        c = static_cast<char>(random());
      } while (random() % 30 != 0 && !set.Has(static_cast<unsigned char>(c)));
    }
    const size_t at = random() % (text.size() + 1);
    size_t expected = at;
    while (expected < text.size() &&
           set.Has(static_cast<unsigned char>(text[expected]))) {
      ++expected;
    }
    ASSERT_EQ(set.EndOfRun(text, at), expected) << text << ", " << at;
  }
}

TEST(CharBytesTest, ATextHasACharacterOnlyWithOneOfItsBytes) {
  const auto is_third = [](uint32_t c) { return c % 3000 == 1; };
  const CharBytes bytes = BytesOfChars(is_third);
  for (uint32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xd800 && c < 0xe000) continue;
    std::string text;
    AppendChar(c, text);
    const auto first = static_cast<unsigned char>(text[0]);
    EXPECT_TRUE(bytes[first] || !is_third(c)) << c;
    EXPECT_TRUE(c >= 0x80 || bytes[first] == is_third(c)) << c;
  }
  EXPECT_TRUE(bytes[0xe6]);
  EXPECT_FALSE(bytes[0xc3]);
  EXPECT_FALSE(bytes[0x80]);  // no first byte
  EXPECT_FALSE(bytes[0xff]);
}

// What is not UTF-8 is one of the characters, too.
TEST(CharBytesTest, AnyByteMayBeTheReplacement) {
  const CharBytes bytes =
      BytesOfChars([](uint32_t c) { return c == 0xfffd || c == 'a'; });
  for (size_t byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(bytes[byte], byte >= 0x80 || byte == 'a') << byte;
  }
}

}  // namespace
}  // namespace penstock
