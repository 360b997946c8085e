#include "tokenizer/vocabulary/long_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace penstock {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

std::optional<std::vector<TokenId>> Known(const LongPieces& pieces,
                                          const std::string& piece) {
  const auto ids = pieces.Find(piece, LongPieces::HashOf(piece));
  if (!ids) return std::nullopt;
  return std::vector<TokenId>(ids->begin(), ids->end());
}

void Insert(LongPieces& pieces, const std::string& piece,
            const std::vector<TokenId>& ids) {
  pieces.Insert(piece, LongPieces::HashOf(piece), ids);
}

TEST(LongPiecesTest, GivesBackWhatWasStored) {
  LongPieces pieces;
  const std::string piece = "internationalisation";
  EXPECT_EQ(Known(pieces, piece), std::nullopt);
  Insert(pieces, piece, {7, 8, 9});
  EXPECT_THAT(Known(pieces, piece), Optional(ElementsAre(7, 8, 9)));
  EXPECT_EQ(Known(pieces, piece + "s"), std::nullopt);
}

TEST(LongPiecesTest, PiecesOfOneHashAreTwo) {
  LongPieces pieces;
  pieces.Insert("one piece", 5, std::vector<TokenId>{1});
  EXPECT_EQ(pieces.Find("two piece", 5), std::nullopt);
  pieces.Insert("two piece", 5, std::vector<TokenId>{2});
  EXPECT_EQ(pieces.Find("one piece", 5)->front(), 1u);
  EXPECT_EQ(pieces.Find("two piece", 5)->front(), 2u);
}

TEST(LongPiecesTest, KeepsNoPieceAboveItsLimit) {
  LongPieces pieces;
  const std::string longest(LongPieces::kMaxPieceBytes, 'a');
  Insert(pieces, longest, {1});
  EXPECT_THAT(Known(pieces, longest), Optional(ElementsAre(1)));
  Insert(pieces, longest + "a", {2});
  EXPECT_EQ(Known(pieces, longest + "a"), std::nullopt);
}

TEST(LongPiecesTest, APlaceIsOfItsPieceUntilTheRingComesRound) {
  LongPieces pieces;
  const uint32_t place = pieces.Append("piece", std::vector<TokenId>{1, 2});
  EXPECT_THAT(*pieces.At(place, "piece"), ElementsAre(1, 2));
  EXPECT_EQ(pieces.At(place, "Piece"), std::nullopt);
  EXPECT_EQ(pieces.At(place, "pieces"), std::nullopt);
  EXPECT_EQ(pieces.Find("piece", LongPieces::HashOf("piece")), std::nullopt);
  const std::string other(1000, 'x');
  for (size_t i = 0; i < LongPieces::kRingBytes / other.size(); ++i) {
    pieces.Append(other, std::vector<TokenId>{3});
  }
  EXPECT_EQ(pieces.At(place, "piece"), std::nullopt);
}

TEST(LongPiecesTest, IsWornBeforeTheCountOfWordsEndsAndGoodAgainOnceCleared) {
  LongPieces pieces(0xffffffff - LongPieces::kRingBytes);
  EXPECT_FALSE(pieces.is_worn());
  const std::string piece = "internationalisation";
  Insert(pieces, piece, {1});
  const std::string other(1000, 'x');
  while (!pieces.is_worn()) pieces.Append(other, std::vector<TokenId>{3});
  pieces.Clear();
  EXPECT_FALSE(pieces.is_worn());
  EXPECT_EQ(Known(pieces, piece), std::nullopt);
  Insert(pieces, piece, {2});
  EXPECT_THAT(Known(pieces, piece), Optional(ElementsAre(2)));
}

// Many times round the ring: a piece that is found is the one that was stored.
TEST(LongPiecesTest, NewPiecesTakeThePlaceOfTheOldestAndOfNoOther) {
  LongPieces pieces;
  constexpr size_t kPieceBytes = 1000;
  constexpr TokenId kPieces = 5 * LongPieces::kRingBytes / kPieceBytes;
  const auto piece_of = [](TokenId i) {
    return std::to_string(i) + std::string(kPieceBytes - i % 7, 'x');
  };
  for (TokenId i = 0; i < kPieces; ++i) {
    Insert(pieces, piece_of(i), std::vector<TokenId>(1 + i % 5, i));
    ASSERT_THAT(Known(pieces, piece_of(i)),
                Optional(std::vector<TokenId>(1 + i % 5, i)));
  }
  size_t kept = 0;
  for (TokenId i = 0; i < kPieces; ++i) {
    const auto known = Known(pieces, piece_of(i));
    if (!known) continue;
    ++kept;
    EXPECT_EQ(*known, std::vector<TokenId>(1 + i % 5, i));
  }
  EXPECT_GT(kept, kPieces / 5 * 9 / 10);
  EXPECT_LT(kept, kPieces / 5);
}

}  // namespace
}  // namespace penstock
