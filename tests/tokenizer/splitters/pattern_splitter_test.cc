#include "tokenizer/splitters/pattern_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tokenizer/regex/literal_pattern.h"

namespace penstock {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Split(std::string_view text,
                               PatternSplitterOptions options) {
  auto pattern = LiteralPattern::Make(" ");
  EXPECT_OK(pattern.status());
  options.at_spaces = true;
  const PatternSplitter splitter(*std::move(pattern), options);
  Pieces pieces(Alignment::kDropped);
  pieces.text.Assign(text, 0);
  pieces.pieces.push_back({0, static_cast<uint32_t>(text.size())});
  EXPECT_OK(splitter.Split(pieces));
  std::vector<std::string> texts;
  for (const Piece piece : pieces.pieces) {
    texts.emplace_back(pieces.TextOf(piece));
  }
  return texts;
}

TEST(PatternSplitterTest, TextWithoutSpacesIsOnePiece) {
  for (const Delimiters delimiters :
       {Delimiters::kIsolated, Delimiters::kRemoved}) {
    EXPECT_THAT(Split("abc", {.delimiters = delimiters}), ElementsAre("abc"));
  }
  EXPECT_THAT(Split("a bc", {.delimiters = Delimiters::kIsolated}),
              ElementsAre("a", " ", "bc"));
  EXPECT_THAT(Split("a bc", {.delimiters = Delimiters::kRemoved}),
              ElementsAre("a", "bc"));
}

TEST(PatternSplitterTest, InvertedItIsWhatMatches) {
  EXPECT_THAT(
      Split("abc", {.delimiters = Delimiters::kRemoved, .invert = true}),
      IsEmpty());
  EXPECT_THAT(
      Split("a bc", {.delimiters = Delimiters::kRemoved, .invert = true}),
      ElementsAre(" "));
}

}  // namespace
}  // namespace penstock
