#include "tokenizer/bpe/part_encoder.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/support/effort.h"

namespace penstock {
namespace {

class PartEncoderTest : public ::testing::Test {
 protected:
  std::vector<TokenId> Encode(const Bpe& bpe, std::string_view piece) {
    std::vector<TokenId> ids = {7};
    const PieceMemory::Visit visit(pieces_);
    PartEncoder(bpe, *bpe.cuts(), {pieces_, chars_, neighbours_}, ids)
        .Encode(piece);
    EXPECT_EQ(ids.front(), 7u);
    ids.erase(ids.begin());
    return ids;
  }

  // Some characters three times as often as the others.
  std::string Drawn(size_t count) {
    static const std::vector<std::string> kChars = {
        "日", "本", "書", "晰", "語", "誰", "가",   "각",      "ｶ",
        "ア", "ィ", "ก",  "a",  "я",  "😀",  "\xe6", "\x9c\xac"};
    std::string text;
    for (size_t i = 0; i < count; ++i) {
      const size_t drawn = random_() % (3 * kChars.size());
      text += kChars[drawn < kChars.size() ? drawn : drawn % 7];
    }
    return text;
  }

  // Bytes, and tokens that two neighbours of a text become, as training would.
  Vocabulary DrawnVocabulary(size_t merges) {
    Vocabulary vocabulary;
    for (int byte = 0; byte < 256; ++byte) {
      vocabulary.Add(byte, std::string(1, static_cast<char>(byte)));
    }
    for (TokenId id = 256; merges > 0; --merges) {
      std::vector<TokenId> ids;
      Neighbours neighbours;
      Bpe::FromRanks(vocabulary).Encode(Drawn(30), neighbours, ids);
      const size_t at = random_() % (ids.size() - 1);
      std::string token(vocabulary.BytesOf(ids[at]));
      token += vocabulary.BytesOf(ids[at + 1]);
      if (vocabulary.Add(id, token) == Vocabulary::Added::kYes) ++id;
    }
    return vocabulary;
  }

  std::mt19937 random_{11};
  SharedPieces shared_;
  PieceMemory pieces_{shared_};
  CharIds chars_;
  Neighbours neighbours_;
};

// Known parts and new ones; more characters than are read at once; parts with
// more bytes, and with more ids, than are remembered.
TEST_F(PartEncoderTest, PiecesHaveTheIdsThatBpeGivesThem) {
  for (int i = 0; i < testing::Cases(60); ++i) {
    const Bpe bpe = Bpe::FromRanks(DrawnVocabulary(10 + i % 60));
    ASSERT_NE(bpe.cuts(), nullptr);
    shared_.Clear();
    chars_ = CharIds();
    neighbours_ = Neighbours();
    for (size_t k = 0; k < 200; ++k) {
      const std::string piece = Drawn(1 + k);
      std::vector<TokenId> expected;
      bpe.Encode(piece, neighbours_, expected);
      ASSERT_EQ(Encode(bpe, piece), expected) << piece;
      ASSERT_EQ(Encode(bpe, piece), expected) << piece;
    }
  }
}

TEST_F(PartEncoderTest, APartIsRemembered) {
  Vocabulary vocabulary;
  for (int byte = 0; byte < 256; ++byte) {
    vocabulary.Add(byte, std::string(1, static_cast<char>(byte)));
  }
  const Bpe bpe = Bpe::FromRanks(vocabulary);
  EXPECT_EQ(Encode(bpe, "日本").size(), 6u);
  TokenId ids[CharIds::kMostIds];
  EXPECT_EQ(chars_.CopyTo(0x65e5, ids), 3u);
  EXPECT_EQ(ids[0], 0xe6u);
  EXPECT_EQ(ids[1], 0x97u);
  EXPECT_EQ(ids[2], 0xa5u);
  const PieceKey last = PieceKey::Of("本");
  EXPECT_NE(shared_.pieces.Find(last, PieceCache::HashOf(last)), nullptr);
}

TEST(CharIdsTest, IdsThatDoNotFitAreNotKept) {
  CharIds chars;
  TokenId ids[CharIds::kMostIds];
  constexpr TokenId kLargest = (1u << 21) - 2;
  EXPECT_EQ(chars.CopyTo('a', ids), 0u);
  chars.Set('a', std::vector<TokenId>{0, kLargest});
  EXPECT_EQ(chars.CopyTo('a', ids), 2u);
  EXPECT_EQ(ids[0], 0u);
  EXPECT_EQ(ids[1], kLargest);
  chars.Set('b', std::vector<TokenId>{1, kLargest + 1});
  EXPECT_EQ(chars.CopyTo('b', ids), 0u);
  chars.Set(0xffff, std::vector<TokenId>{kLargest, 1, 2});
  EXPECT_EQ(chars.CopyTo(0xffff, ids), 3u);
  EXPECT_EQ(ids[0], kLargest);
  EXPECT_EQ(ids[2], 2u);
}

}  // namespace
}  // namespace penstock
