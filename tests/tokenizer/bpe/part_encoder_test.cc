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

  static Vocabulary Bytes() {
    Vocabulary vocabulary;
    for (int byte = 0; byte < 256; ++byte) {
      vocabulary.Add(byte, std::string(1, static_cast<char>(byte)));
    }
    return vocabulary;
  }

  // Bytes, and tokens that two neighbours of a text become, as training would.
  Vocabulary DrawnVocabulary(size_t merges) {
    Vocabulary vocabulary = Bytes();
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

TEST_F(PartEncoderTest, CharactersAreRemembered) {
  const Bpe bpe = Bpe::FromRanks(Bytes());
  EXPECT_EQ(Encode(bpe, "日本").size(), 6u);
  TokenId ids[CharIds::kMostIds];
  EXPECT_EQ(chars_.CopyTo(0x65e5, ids), 3u);
  EXPECT_EQ(ids[0], 0xe6u);
  EXPECT_EQ(ids[1], 0x97u);
  EXPECT_EQ(ids[2], 0xa5u);
  EXPECT_EQ(chars_.CopyTo(0x672c, ids), 3u);
}

// What whole characters become costs as little as a look.
TEST_F(PartEncoderTest, PartsWithBrokenCharactersAreRemembered) {
  Vocabulary vocabulary = Bytes();
  TokenId id = vocabulary.size();
  for (const char* token : {"\xe6\x9c", "本", "\xe8\xaa", "語", "\xe6\x97",
                            "日", "\xe6\x9b", "書", "本\xe8", "日a", "書日"}) {
    vocabulary.Add(id++, token);
  }
  const Bpe bpe = Bpe::FromRanks(vocabulary);
  EXPECT_FALSE(Encode(bpe, "日本語書日日a日").empty());
  const auto remembers = [&](std::string_view part) {
    const PieceKey key = PieceKey::Of(part);
    return shared_.pieces.Find(key, PieceCache::HashOf(key)) != nullptr;
  };
  EXPECT_TRUE(remembers("本語"));
  EXPECT_TRUE(remembers("日a日"));
  EXPECT_FALSE(remembers("日"));
  EXPECT_FALSE(remembers("書日"));
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
