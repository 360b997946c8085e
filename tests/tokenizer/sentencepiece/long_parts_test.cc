// Parts that PartCache has no room for are remembered, too.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/tokenizer/sentencepiece/tiny_sentencepiece.h"
#include "tests/tokenizer/tiny_vocabulary.h"

namespace penstock {
namespace {

using testing::Ids;

// Nothing of a and b is cut; of "bqa" nothing is, either, but no merges lead to
// it, and q is no piece.
testing::TinySentencePiece WordsOfTwoLetters(bool byte_fallback) {
  testing::TinySentencePiece model = {.type = SentencePieceModel::Type::kBpe,
                                      .byte_fallback = byte_fallback};
  model.pieces = {{"<unk>", 0, SentencePiece::Type::kUnknown}};
  for (const char* piece : {"\u2581", "a", "b", "aa", "ab", "ba", "bb", "aab",
                            "abab", "\u2581a", "\u2581b", "bqa"}) {
    model.pieces.push_back({piece, -static_cast<float>(model.pieces.size())});
  }
  return model;
}

TEST(LongPartsTest, HaveTheSameIdsWhenTheyComeAgain) {
  for (const bool byte_fallback : {false, true}) {
    const auto model = WordsOfTwoLetters(byte_fallback);
    const auto tokenizer = testing::ParseTiny(model);
    ASSERT_NE(tokenizer, nullptr);
    std::mt19937 random(4);
    for (int i = 0; i < 300; ++i) {
      std::string word;
      // Of all sizes up to what PartCache takes, and some far beyond.
      const size_t size = 1 + random() % (i % 10 == 0 ? 40'000 : 120);
      const bool has_unknown = random() % 3 == 0;
      while (word.size() < size) word += "ab"[random() % 2];
      if (has_unknown) word.insert(random() % size, "bqa");
      const std::vector<TokenId> ids = Ids(*testing::ParseTiny(model), word);
      EXPECT_EQ(Ids(*tokenizer, word), ids);
      EXPECT_EQ(Ids(*tokenizer, word), ids);
    }
  }
}

}  // namespace
}  // namespace penstock
