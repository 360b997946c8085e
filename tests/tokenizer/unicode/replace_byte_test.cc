#include "tokenizer/unicode/replace_byte.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace penstock {
namespace {

std::string ReplacedOneByOne(std::string_view text, char byte,
                             std::string_view by) {
  std::string replaced;
  for (const char c : text) {
    if (c == byte) {
      replaced += by;
    } else {
      replaced += c;
    }
  }
  return replaced;
}

TEST(ReplaceByteTest, ReplacesEachAndKeepsOthers) {
  std::mt19937 random(3);
  const std::string longest = "0123456789abcdef";
  ASSERT_EQ(longest.size(), ByteReplacement::kMostBytes);
  for (size_t size = 0; size < 120; ++size) {
    for (const size_t one_of : {1, 2, 6, 40}) {
      // Of its exact size, so that a sanitizer sees a read behind it.
      std::vector<char> text(size);
      for (char& c : text) {
        c = random() % one_of == 0 ? ' ' : static_cast<char>(random());
      }
      const std::string_view view(text.data(), text.size());
      for (const size_t bytes : {0, 1, 2, 3, 15, 16}) {
        const std::string by = longest.substr(0, bytes);
        ASSERT_EQ(Replaced(view, {' ', by}), ReplacedOneByOne(view, ' ', by));
      }
    }
  }
}

// Of a part of a text, nothing of what stands around it comes in, nor is more
// written behind it than may be.
TEST(ReplaceByteTest, PutsAPart) {
  std::mt19937 random(4);
  constexpr size_t kMost = ByteReplacement::kMostBytes;
  for (int i = 0; i < 2000; ++i) {
    std::vector<char> text(random() % 80);
    for (char& c : text) c = "  ab"[random() % 4];
    const std::string_view view(text.data(), text.size());
    const size_t begin = random() % (text.size() + 1);
    const size_t size = random() % (text.size() - begin + 1);
    const std::string by(random() % (kMost + 1), '-');
    const std::string expected =
        ReplacedOneByOne(view.substr(begin, size), ' ', by);
    const ByteReplacement replacement(' ', by);
    ASSERT_LE(expected.size(), replacement.MostBytes(size));
    std::vector<char> out(expected.size() + kMost);
    char* const end = replacement.Put(view, begin, begin + size, out.data());
    ASSERT_EQ(std::string(out.data(), end), expected);
  }
}

TEST(ReplaceByteTest, CountsMoreThanAByteHolds) {
  for (const size_t size : {254, 255, 256, 257, 511, 512, 100'000}) {
    const std::string text(size, 'a');
    ASSERT_EQ(Replaced(text, {'a', "xyz"}).size(), 3 * size);
    ASSERT_EQ(Replaced(text, {'b', "xyz"}), text);
  }
}

}  // namespace
}  // namespace penstock
