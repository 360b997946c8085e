#include "tokenizer/splitters/metaspace_splitter.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

Pieces Split(const MetaspaceSplitter& splitter, Alignment alignment,
             std::string_view text, uint32_t begin) {
  Pieces pieces(alignment);
  pieces.text.Assign(text, begin);
  pieces.pieces.push_back({0, static_cast<uint32_t>(text.size())});
  EXPECT_OK(splitter.Split(pieces));
  return pieces;
}

TEST(MetaspaceSplitterTest, WithoutSplitSpacesAreReplaced) {
  const MetaspaceSplitter splitter(
      {.prepend = PrependScheme::kFirst, .split = false});
  for (const Alignment alignment : {Alignment::kKept, Alignment::kDropped}) {
    const auto text_of = [&](std::string_view text, uint32_t begin) {
      return Split(splitter, alignment, text, begin).text.text();
    };
    EXPECT_EQ(text_of("a b  c ", 0), "\u2581a\u2581b\u2581\u2581c\u2581");
    EXPECT_EQ(text_of("a b", 7), "a\u2581b");
    EXPECT_EQ(text_of(" a", 0), "\u2581a");
    EXPECT_EQ(text_of("\u2581a", 0), "\u2581a");
    EXPECT_EQ(text_of("\u00e9", 0), "\u2581\u00e9");
  }
}

// Nobody's ids depend on whether offsets are asked for.
TEST(MetaspaceSplitterTest, TextIsTheSameWithoutAlignment) {
  std::mt19937 random(9);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (size_t chars = 1 + random() % 40; chars > 0; --chars) {
      const char* const kChars[] = {" ", "a", "\u2581", "\u00e9", "_"};
      text += kChars[random() % 5];
    }
    const MetaspaceSplitter splitter(
        {.replacement = random() % 4 == 0 ? uint32_t{'_'} : 0x2581,
         .prepend = static_cast<PrependScheme>(random() % 3),
         .split = random() % 4 == 0});
    const uint32_t begin = random() % 2 * 10;
    const Pieces kept = Split(splitter, Alignment::kKept, text, begin);
    const Pieces dropped = Split(splitter, Alignment::kDropped, text, begin);
    ASSERT_EQ(dropped.text.text(), kept.text.text()) << text;
    ASSERT_EQ(dropped.pieces, kept.pieces) << text;
  }
}

}  // namespace
}  // namespace penstock
