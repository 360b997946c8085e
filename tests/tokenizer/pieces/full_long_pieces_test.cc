// A ring of long pieces that is full.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tokenizer/pieces/long_pieces_fixture.h"
#include "tokenizer/pieces/long_pieces.h"

namespace penstock {
namespace {

using FullLongPiecesTest = testing::LongPiecesFixture;

TEST_F(FullLongPiecesTest, KeepsWhatCameLately) {
  LongPieces pieces(readers_, kSmallRing);
  const auto piece_of = [](size_t i) {
    return std::to_string(i) + std::string(1000, 'x');
  };
  const size_t kRoom = kSmallRing / 1000;
  for (size_t i = 0; i < 2 * kRoom; ++i) Insert(pieces, piece_of(i), {1});
  size_t kept = 0;
  for (size_t i = 2 * kRoom; i < 4 * kRoom; ++i) {
    Insert(pieces, piece_of(i), {1});
    kept += Known(pieces, piece_of(i)) ? 1 : 0;
    Insert(pieces, piece_of(i), {1});
    EXPECT_TRUE(Known(pieces, piece_of(i))) << i;
  }
  EXPECT_GT(kept, 2 * kRoom / LongPieces::kKeptOfFull / 2);
  EXPECT_LT(kept, 2 * kRoom / LongPieces::kKeptOfFull * 2);
  // From the beginning.
  pieces.Clear();
  for (size_t i = 0; i < kRoom / 2; ++i) {
    Insert(pieces, piece_of(i), {1});
    EXPECT_TRUE(Known(pieces, piece_of(i))) << i;
  }
}

// Which it keeps does not depend on a piece for good.
TEST_F(FullLongPiecesTest, KeepsEachPieceAtSomeTime) {
  LongPieces pieces(readers_, kSmallRing);
  const auto append = [&](size_t bytes) {
    for (size_t i = 0; i < bytes / kRecordBytes; ++i) {
      pieces.Append(by_, many_);
    }
  };
  append(2 * kSmallRing);
  const std::vector<TokenId> ids = {1};
  for (uint64_t i = 0; i < LongPieces::kKeptOfFull; ++i) {
    const uint64_t hash = i << 48 | 5;
    size_t times = 0;
    while (!pieces.Find("a piece", hash)) {
      ASSERT_LT(++times, 4 * LongPieces::kKeptOfFull) << i;
      append(kSmallRing / LongPieces::kSegments);
      pieces.Insert(by_, "a piece", hash, ids);
      // Then the first is no longer the one that came lately.
      pieces.Insert(by_, "another", hash + 1, ids);
    }
  }
}

// Were each kept, none would be there when it comes again.
TEST_F(FullLongPiecesTest, OfATextThatHasMoreSomeAreThereWhenItComesAgain) {
  LongPieces pieces(readers_, kRingOfLongest);
  constexpr size_t kRecord = 4 * (2 + 1 + 5);
  constexpr size_t kRoom = kRingOfLongest / kRecord;
  // So many that few of the last time came lately.
  constexpr size_t kPieces = 4 * kRoom;
  for (int time = 0; time < 3; ++time) {
    size_t found = 0;
    for (size_t i = 0; i < kPieces; ++i) {
      const std::string piece = std::to_string(1'000'000 + i) + "internationa";
      if (Known(pieces, piece)) {
        ++found;
      } else {
        Insert(pieces, piece, {1});
      }
    }
    if (time > 0) {
      EXPECT_GT(found, kRoom / 2) << time;
    }
  }
}

}  // namespace
}  // namespace penstock
