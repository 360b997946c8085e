#include "tokenizer/pieces/huge_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace penstock {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

using IdList = std::vector<TokenId>;

constexpr uint64_t kHash = 5;

std::optional<IdList> Known(const HugePieces& pieces, const std::string& piece,
                            uint64_t hash = kHash) {
  IdList ids;
  if (!pieces.AppendIds(piece, hash, ids)) return std::nullopt;
  return ids;
}

void InsertTwice(HugePieces& pieces, const std::string& piece,
                 const IdList& ids, uint64_t hash = kHash) {
  for (int i = 0; i < 2; ++i) pieces.Insert(piece, hash, ids);
}

TEST(HugePiecesTest, KeepsWhatComesTwice) {
  HugePieces pieces;
  const std::string piece(100'001, 'a');
  EXPECT_EQ(Known(pieces, piece), std::nullopt);
  pieces.Insert(piece, kHash, IdList{7, 8, 9});
  EXPECT_EQ(Known(pieces, piece), std::nullopt);
  pieces.Insert(piece, kHash, IdList{7, 8, 9});
  EXPECT_THAT(Known(pieces, piece), Optional(ElementsAre(7, 8, 9)));
  EXPECT_EQ(Known(pieces, piece + "a"), std::nullopt);
}

TEST(HugePiecesTest, AppendsBehindWhatIsThere) {
  HugePieces pieces;
  InsertTwice(pieces, "some piece", {7, 8});
  IdList ids = {1};
  EXPECT_TRUE(pieces.AppendIds("some piece", kHash, ids));
  EXPECT_FALSE(pieces.AppendIds("same piece", kHash, ids));
  EXPECT_THAT(ids, ElementsAre(1, 7, 8));
}

TEST(HugePiecesTest, PiecesOfOneHashAreTwo) {
  HugePieces pieces;
  InsertTwice(pieces, "one piece", {1});
  EXPECT_EQ(Known(pieces, "two piece"), std::nullopt);
  InsertTwice(pieces, "two piece", {2});
  EXPECT_THAT(Known(pieces, "one piece"), Optional(ElementsAre(1)));
  EXPECT_THAT(Known(pieces, "two piece"), Optional(ElementsAre(2)));
}

// As threads do that met it at once.
TEST(HugePiecesTest, APieceThatIsKnownTakesNoMoreRoom) {
  HugePieces pieces(1 << 12);
  const std::string other(1000, 'b');
  InsertTwice(pieces, other, {2}, kHash + 1);
  const std::string piece(1000, 'a');
  for (int i = 0; i < 10; ++i) pieces.Insert(piece, kHash, IdList{1});
  EXPECT_THAT(Known(pieces, other, kHash + 1), Optional(ElementsAre(2)));
}

TEST(HugePiecesTest, OnesAboveAllMemoryAreNotKept) {
  constexpr size_t kBytes = 1 << 12;
  HugePieces pieces(kBytes);
  InsertTwice(pieces, "short", {1});
  const std::string piece(kBytes - sizeof(TokenId), 'a');
  InsertTwice(pieces, piece + "a", {2});
  EXPECT_EQ(Known(pieces, piece + "a"), std::nullopt);
  EXPECT_THAT(Known(pieces, "short"), Optional(ElementsAre(1)));
  InsertTwice(pieces, piece, {3});
  EXPECT_THAT(Known(pieces, piece), Optional(ElementsAre(3)));
}

// Sizes that end between ids.
TEST(HugePiecesTest, AllGoOnceThoseWithoutRoomWouldHaveFilledItSomeTimes) {
  constexpr uint64_t kRoom = 4;
  HugePieces pieces(1 << 12);
  const std::string text(997, 'a');
  uint64_t first = 0;  // of those that are there
  uint64_t refused = 0;
  for (uint64_t i = 0; i < 100; ++i) {
    InsertTwice(pieces, text, {static_cast<TokenId>(i), 7}, i + 1);
    // 1,005 bytes are refused each time, 4 times 1,008 are taken.
    if (i >= first + kRoom && ++refused > HugePieces::kRefusedTimes * kRoom) {
      first = i;
      refused = 0;
    }
    for (uint64_t k = 0; k <= i; ++k) {
      const bool is_there = k >= first && k < first + kRoom;
      ASSERT_EQ(Known(pieces, text, k + 1).has_value(), is_there)
          << k << " of " << i;
    }
  }
  EXPECT_THAT(Known(pieces, text, first + 1), Optional(ElementsAre(first, 7)));
}

// A text with three times as many as there is room for, again and again.
TEST(HugePiecesTest, OfATextThatHasMoreSomeAreThereWhenItComesAgain) {
  constexpr uint64_t kRoom = 100;
  HugePieces pieces(kRoom * 1004);
  const std::string text(1000, 'a');
  uint64_t found = 0;
  constexpr int kTimes = 20;
  for (int time = 0; time < kTimes; ++time) {
    for (uint64_t i = 1; i <= 3 * kRoom; ++i) {
      const uint64_t hash = i * 0x9e3779b97f4a7c15;
      if (Known(pieces, text, hash)) {
        ++found;
      } else {
        pieces.Insert(text, hash, IdList{1});
      }
    }
  }
  // The first time none, the second none but what came since.
  EXPECT_GT(found, (kTimes - 2) * kRoom * 8 / 10);
}

TEST(HugePiecesTest, NoMoreRecordsThanItSays) {
  HugePieces pieces;
  for (uint64_t i = 1; i <= HugePieces::kMostRecords + 1; ++i) {
    InsertTwice(pieces, "piece", {1}, i);
  }
  EXPECT_TRUE(Known(pieces, "piece", 1));
  EXPECT_TRUE(Known(pieces, "piece", HugePieces::kMostRecords));
  EXPECT_FALSE(Known(pieces, "piece", HugePieces::kMostRecords + 1));
}

// These two are remembered at one place.
TEST(HugePiecesTest, APieceThatCameOnceIsForgottenForAnother) {
  HugePieces pieces;
  for (const uint64_t hash : {1, 2, 1}) {
    pieces.Insert("piece", hash, IdList{1});
    EXPECT_FALSE(Known(pieces, "piece", hash));
  }
  pieces.Insert("piece", 1, IdList{1});
  EXPECT_TRUE(Known(pieces, "piece", 1));
}

TEST(HugePiecesTest, ClearForgetsWhatCameOnceToo) {
  HugePieces pieces;
  InsertTwice(pieces, "one", {1}, 1);
  pieces.Insert("two", 2, IdList{2});
  pieces.Clear();
  EXPECT_FALSE(Known(pieces, "one", 1));
  pieces.Insert("two", 2, IdList{2});
  EXPECT_FALSE(Known(pieces, "two", 2));
}

TEST(HugePiecesTest, ThreadsSeeWholeRecordsOrNone) {
  HugePieces pieces(1 << 14);
  const auto piece_of = [](uint64_t i) {
    return std::string(1000 + i, static_cast<char>('a' + i));
  };
  std::atomic<size_t> hits = 0;
  std::vector<std::jthread> threads;
  for (uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (uint64_t turn = 0; turn < 2000; ++turn) {
        // Some come often; all together have no room.
        const uint64_t i = turn % 3 == 0 ? (turn * 7 + thread) % 26 : turn % 4;
        const std::string piece = piece_of(i);
        const IdList ids(i + 1, static_cast<TokenId>(i));
        IdList known;
        if (pieces.AppendIds(piece, i + 1, known)) {
          EXPECT_EQ(known, ids);
          ++hits;
        } else {
          pieces.Insert(piece, i + 1, ids);
        }
        if (turn % 512 == 0) pieces.Clear();
      }
    });
  }
  threads.clear();
  EXPECT_GT(hits, 100u);
}

}  // namespace
}  // namespace penstock
