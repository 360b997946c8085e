// How the index of LongPieces grows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/tokenizer/pieces/long_pieces_fixture.h"

namespace penstock {
namespace {

using ::testing::ElementsAre;

class LongPiecesGrowthTest : public testing::LongPiecesFixture {
 protected:
  void MakeRoom(LongPieces& pieces) {
    self_.Leave();
    pieces.MakeRoom();
    self_.Enter();
  }
};

// Where it grows six of a line's eight places are taken: some lines had none
// left. Without growing half would be found.
TEST_F(LongPiecesGrowthTest, TheIndexGrowsWithThePieces) {
  constexpr TokenId kPieces = 1'000'000;
  LongPieces pieces(readers_);
  const auto piece_of = [](TokenId i) {
    return std::to_string(kPieces + i) + "0123456789abcdef";
  };
  int grown = 0;
  for (TokenId i = 0; i < kPieces; ++i) {
    Insert(pieces, piece_of(i), std::vector<TokenId>(8, i));
    if (!pieces.WantsRoom()) continue;
    MakeRoom(pieces);
    EXPECT_FALSE(pieces.WantsRoom());
    ++grown;
  }
  EXPECT_EQ(grown, 2);
  TokenId kept = 0;
  for (TokenId i = 0; i < kPieces; ++i) {
    const auto ids = Known(pieces, piece_of(i));
    if (!ids) continue;
    ++kept;
    ASSERT_EQ(*ids, std::vector<TokenId>(8, i));
  }
  EXPECT_GT(kept, kPieces / 100 * 94);
}

TEST_F(LongPiecesGrowthTest, WhatWasThereIsFoundOnceTheIndexHasGrown) {
  LongPieces pieces(readers_);
  const auto piece_of = [](TokenId i) {
    return std::to_string(i) + std::string(300, 'a');
  };
  for (int turn = 0; turn < 2; ++turn) {
    TokenId count = 0;
    for (int grown = 0; grown < 2; ++grown) {
      for (; !pieces.WantsRoom(); ++count) {
        ASSERT_LT(count, 100'000u);
        Insert(pieces, piece_of(count), std::vector<TokenId>(200, count));
      }
      MakeRoom(pieces);
      for (TokenId i = 0; i < count; ++i) {
        const auto ids = Known(pieces, piece_of(i));
        ASSERT_TRUE(ids) << i << " of " << count;
        ASSERT_EQ(ids->back(), i);
      }
    }
    // From the first size on again.
    pieces.Clear();
  }
}

// While one makes room others come, find and insert. Two that insert into one
// line at the same time may choose one slot, of which the later keeps it.
TEST_F(LongPiecesGrowthTest, ThreadsFindNearlyAllWhileTheIndexGrows) {
  LongPieces pieces(readers_);
  self_.Leave();
  constexpr TokenId kThreads = 4;
  constexpr TokenId kOfThread = 4000;  // 8 MB each: it grows at 16
  const auto piece_of = [](TokenId i) {
    return std::to_string(i) + std::string(2000, 'x');
  };
  const auto find = [&](TokenId i) {
    const auto known = Known(pieces, piece_of(i));
    EXPECT_THAT(known.value_or(std::vector<TokenId>{i}), ElementsAre(i));
    return known.has_value();
  };
  {
    std::vector<std::jthread> threads;
    for (TokenId t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        Readers::Reader self(readers_);
        Inserter by(self);
        for (TokenId n = 0; n < kOfThread; ++n) {
          if (pieces.WantsRoom()) pieces.MakeRoom();
          self.Enter();
          const TokenId i = t * kOfThread + n;
          const std::string piece = piece_of(i);
          pieces.Insert(by, piece, LongPieces::HashOf(piece),
                        std::vector<TokenId>{i});
          find(i - n / 2);
          self.Leave();
        }
      });
    }
  }
  self_.Enter();
  TokenId lost = 0;
  for (TokenId i = 0; i < kThreads * kOfThread; ++i) lost += !find(i);
  EXPECT_LE(lost, 8u);
}

}  // namespace
}  // namespace penstock
