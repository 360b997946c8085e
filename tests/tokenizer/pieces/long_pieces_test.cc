#include "tokenizer/pieces/long_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/effort.h"
#include "tests/tokenizer/pieces/long_pieces_fixture.h"

namespace penstock {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::Optional;

using LongPiecesTest = testing::LongPiecesFixture;

TEST_F(LongPiecesTest, GivesBackWhatWasStored) {
  LongPieces pieces(readers_);
  const std::string piece = "internationalisation";
  EXPECT_EQ(Known(pieces, piece), std::nullopt);
  Insert(pieces, piece, {7, 8, 9});
  EXPECT_THAT(Known(pieces, piece), Optional(ElementsAre(7, 8, 9)));
  EXPECT_EQ(Known(pieces, piece + "s"), std::nullopt);
}

TEST_F(LongPiecesTest, PiecesOfOneHashAreTwo) {
  LongPieces pieces(readers_);
  pieces.Insert(by_, "one piece", 5, std::vector<TokenId>{1});
  EXPECT_EQ(pieces.Find("two piece", 5), std::nullopt);
  pieces.Insert(by_, "two piece", 5, std::vector<TokenId>{2});
  EXPECT_EQ(pieces.Find("one piece", 5)->front(), 1u);
  EXPECT_EQ(pieces.Find("two piece", 5)->front(), 2u);
}

TEST_F(LongPiecesTest, KeepsNoPieceAboveItsLimit) {
  LongPieces pieces(readers_);
  const std::string longest(LongPieces::kMaxPieceBytes, 'a');
  for (int i = 0; i < 2; ++i) {
    Insert(pieces, longest, {1});
    Insert(pieces, longest + "a", {2});
  }
  EXPECT_THAT(Known(pieces, longest), Optional(ElementsAre(1)));
  EXPECT_EQ(Known(pieces, longest + "a"), std::nullopt);
}

// Those that never come again take no place from others.
TEST_F(LongPiecesTest, VeryLongPiecesAreKeptTheSecondTime) {
  LongPieces pieces(readers_);
  const std::string at_once(LongPieces::kKeptAtOnceBytes, 'a');
  Insert(pieces, at_once, {1});
  EXPECT_THAT(Known(pieces, at_once), Optional(ElementsAre(1)));
  const std::string longer = at_once + "a";
  Insert(pieces, longer, {2});
  EXPECT_EQ(Known(pieces, longer), std::nullopt);
  Insert(pieces, longer, {2});
  EXPECT_THAT(Known(pieces, longer), Optional(ElementsAre(2)));
  pieces.Clear();
  Insert(pieces, longer, {2});
  EXPECT_EQ(Known(pieces, longer), std::nullopt);
}

// Some of them hash alike where it is remembered that they came.
TEST_F(LongPiecesTest, ManyVeryLongPiecesAreKeptTheSecondTime) {
  LongPieces pieces(readers_);
  const auto piece_of = [](int i) {
    return std::string(LongPieces::kKeptAtOnceBytes, 'a') + std::to_string(i);
  };
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < 400; ++i) Insert(pieces, piece_of(i), {7});
  }
  for (int i = 0; i < 400; ++i) {
    EXPECT_THAT(Known(pieces, piece_of(i)), Optional(ElementsAre(7))) << i;
  }
}

TEST_F(LongPiecesTest, EachByteTellsInTheHash) {
  for (const size_t size : {16, 127, 128, 129, 160, 167, 1000}) {
    std::string piece(size, 'a');
    std::set<uint64_t> hashes = {
        LongPieces::HashOf(piece), LongPieces::HashOf(piece + "a"),
        LongPieces::HashOf(piece + std::string(32, 0))};
    for (char& byte : piece) {
      byte = 'b';
      hashes.insert(LongPieces::HashOf(piece));
      byte = 'a';
    }
    EXPECT_EQ(hashes.size(), size + 3);
  }
}

// More ids than bytes there are never: the longest record fits in a segment.
TEST_F(LongPiecesTest, TheLongestRecordsGoRoundTheRing) {
  LongPieces pieces(readers_, kRingOfLongest);
  const std::vector<TokenId> ids(LongPieces::kMaxPieceBytes, 7);
  for (int i = 0; i < 500; ++i) {
    std::string piece(LongPieces::kMaxPieceBytes, 'x');
    piece.replace(0, 3, std::to_string(100 + i));
    for (int k = 0; k < 2; ++k) {
      // Readers come and go, as those of batches do.
      self_.Leave();
      self_.Enter();
      Insert(pieces, piece, ids);
    }
    ASSERT_THAT(Known(pieces, piece), Optional(ids));
  }
}

TEST_F(LongPiecesTest, APlaceHasItsIdsUntilTheRingComesRound) {
  LongPieces pieces(readers_);
  const uint64_t place = pieces.Append(by_, std::vector<TokenId>{1, 2});
  EXPECT_THAT(*pieces.At(place), ElementsAre(1, 2));
  for (size_t i = 0; i < LongPieces::kRingBytes / kRecordBytes; ++i) {
    pieces.Append(by_, many_);
  }
  EXPECT_EQ(pieces.At(place), std::nullopt);
}

// A line that another thread just wrote takes long to come.
TEST_F(LongPiecesTest, ThreadsDoNotWriteBesideEachOther) {
  LongPieces pieces(readers_);
  Readers::Reader other(readers_);
  other.Enter();
  Inserter by_other(other);
  const std::vector<TokenId> ids = {1, 2, 3};
  const uint64_t first = pieces.Append(by_, ids);
  const uint64_t others = pieces.Append(by_other, ids);
  EXPECT_GT(others, first + 64);
  EXPECT_EQ(pieces.Append(by_, ids), first + 4);
  EXPECT_EQ(pieces.Append(by_other, ids), others + 4);
}

// A chunk's end that has no room for a record is all that is lost.
TEST_F(LongPiecesTest, InsertersInTurnFillTheRing) {
  LongPieces pieces(readers_, kSmallRing);
  Inserter by_another(self_);
  std::vector<uint64_t> places;
  for (size_t i = 0; i < 10 * kSmallRing / kRecordBytes; ++i) {
    places.push_back(pieces.Append(i % 2 == 0 ? by_ : by_another, many_));
  }
  const auto kept = std::ranges::count_if(
      places, [&](uint64_t place) { return pieces.At(place).has_value(); });
  EXPECT_GT(kept, static_cast<int>(kSmallRing / kRecordBytes * 85 / 100));
}

// A thread that comes back has a place from before.
TEST_F(LongPiecesTest, APlaceOfBeforeTheRingCameRoundIsNotWrittenTo) {
  LongPieces pieces(readers_, kSmallRing);
  Readers::Reader other(readers_);
  other.Enter();
  Inserter by_other(other);
  const uint64_t before = pieces.Append(by_other, std::vector<TokenId>{1, 2});
  other.Leave();
  std::vector<uint64_t> places;
  for (size_t i = 0; i < 4 * kSmallRing / kRecordBytes; ++i) {
    places.push_back(pieces.Append(by_, many_));
  }
  other.Enter();
  const uint64_t place = pieces.Append(by_other, std::vector<TokenId>{8, 9});
  EXPECT_GT(place, before + kSmallRing / sizeof(TokenId));
  EXPECT_THAT(*pieces.At(place), ElementsAre(8, 9));
  size_t kept = 0;
  for (const uint64_t at : places) {
    const auto ids = pieces.At(at);
    if (!ids) continue;
    ++kept;
    EXPECT_THAT(*ids, ElementsAreArray(many_));
  }
  EXPECT_GT(kept, kSmallRing / kRecordBytes * 8 / 10);
}

TEST_F(LongPiecesTest, APlaceOfTheIndexIsOfOnePiece) {
  LongPieces pieces(readers_);
  constexpr uint64_t kHash = uint64_t{5} << 60;
  pieces.Insert(by_, "a piece", kHash, std::vector<TokenId>{1, 2});
  const uint64_t place = pieces.PlaceOf(kHash);
  EXPECT_THAT(*pieces.FindAt(place, "a piece"), ElementsAre(1, 2));
  EXPECT_EQ(pieces.FindAt(place, "A piece"), std::nullopt);
  EXPECT_EQ(pieces.FindAt(place, "a pieces"), std::nullopt);
  EXPECT_EQ(pieces.FindAt(0, "a piece"), std::nullopt);
  EXPECT_EQ(pieces.PlaceOf(uint64_t{6} << 60), 0u);
}

TEST_F(LongPiecesTest, KeepsNothingMoreWhereTheCountOfWordsEnds) {
  constexpr uint64_t kEnd = uint64_t{1} << 48;
  LongPieces pieces(readers_, kSmallRing, kEnd - 4096);
  const std::string piece = "internationalisation";
  Insert(pieces, piece, {1});
  EXPECT_THAT(Known(pieces, piece), Optional(ElementsAre(1)));
  size_t kept = 0;
  while (pieces.Append(by_, many_) != 0) ++kept;
  EXPECT_EQ(kept, (4096 - 1 - 1 - 1 - 5) / (kRecordBytes / 4));
  EXPECT_THAT(Known(pieces, piece), Optional(ElementsAre(1)));
}

TEST_F(LongPiecesTest, OnceClearedItIsEmptyAndTakesPieces) {
  LongPieces pieces(readers_, kSmallRing);
  const std::string piece = "internationalisation";
  for (TokenId i = 0; i < 3; ++i) {
    EXPECT_EQ(Known(pieces, piece), std::nullopt);
    const uint64_t place = pieces.Append(by_, std::vector<TokenId>{i});
    Insert(pieces, piece, {i});
    EXPECT_THAT(Known(pieces, piece), Optional(ElementsAre(i)));
    EXPECT_THAT(*pieces.At(place), ElementsAre(i));
    pieces.Clear();
    EXPECT_EQ(pieces.At(place), std::nullopt);
  }
}

// What another found stays as it was while it is inside; nothing is kept that
// would need its place.
TEST_F(LongPiecesTest, APieceIsNotWrittenOverWhileAnotherMayLookAtIt) {
  LongPieces pieces(readers_, kSmallRing);
  const auto append = [&](size_t bytes) {
    size_t kept = 0;
    for (size_t i = 0; i < bytes / kRecordBytes; ++i) {
      kept += pieces.Append(by_, many_) == 0 ? 0 : 1;
    }
    return kept;
  };
  append(5 * kSmallRing / 2);
  const std::string piece = "internationalisation";
  InsertUntilKept(pieces, piece, {7, 8, 9});
  Readers::Reader reader(readers_);
  reader.Enter();
  const auto found = pieces.Find(piece, LongPieces::HashOf(piece));
  ASSERT_TRUE(found);
  const size_t kept = append(2 * kSmallRing);
  // As much as was open: a segment or two.
  constexpr size_t kOfSegment =
      kSmallRing / LongPieces::kSegments / kRecordBytes;
  EXPECT_GE(kept, kOfSegment);
  EXPECT_LE(kept, 2 * kOfSegment);
  EXPECT_THAT(*found, ElementsAre(7, 8, 9));
  reader.Leave();
  EXPECT_GT(append(kSmallRing), kSmallRing / kRecordBytes * 99 / 100);
  EXPECT_EQ(Known(pieces, piece), std::nullopt);
}

// Threads that go round one small ring many times.
TEST_F(LongPiecesTest, ThreadsThatShareARingFindOnlyWhatWasStored) {
  LongPieces pieces(readers_, kSmallRing);
  self_.Leave();
  const auto piece_of = [](size_t i) {
    return std::to_string(i) + std::string(20 + i % 300, 'x');
  };
  const auto ids_of = [](size_t i) {
    return std::vector<TokenId>(1 + i % 20, static_cast<TokenId>(i));
  };
  const size_t kPieces = testing::Cases(40'000);
  std::atomic<size_t> hits = 0;
  std::vector<std::jthread> threads;
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Readers::Reader self(readers_);
      Inserter by(self);
      for (size_t n = 0; n < kPieces; n += 50) {
        if (pieces.WantsRoom()) pieces.MakeRoom();
        self.Enter();
        for (size_t k = 0; k < 50; ++k) {
          // Each comes to all threads; a piece that is found is looked at
          // twice, as later as can be.
          const size_t i = n + k * (t + 1) % 50;
          const std::string piece = piece_of(i);
          const uint64_t hash = LongPieces::HashOf(piece);
          const auto found = pieces.Find(piece, hash);
          if (!found) {
            pieces.Insert(by, piece, hash, ids_of(i));
            continue;
          }
          ++hits;
          const std::vector<TokenId> ids(found->begin(), found->end());
          EXPECT_EQ(ids, ids_of(i));
        }
        self.Leave();
      }
    });
  }
  threads.clear();
  EXPECT_GT(hits, 0u);
}

// Many times round the ring: a piece that is found is the one that was stored.
TEST_F(LongPiecesTest, NewPiecesTakeThePlaceOfTheOldestAndOfNoOther) {
  LongPieces pieces(readers_, kRingOfLongest);
  constexpr size_t kPieceBytes = 1000;
  constexpr TokenId kPieces = 5 * kRingOfLongest / kPieceBytes;
  const auto piece_of = [](TokenId i) {
    return std::to_string(i) + std::string(kPieceBytes - i % 7, 'x');
  };
  for (TokenId i = 0; i < kPieces; ++i) {
    InsertUntilKept(pieces, piece_of(i), std::vector<TokenId>(1 + i % 5, i));
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
