#include "tokenizer/sentencepiece/merge_memory.h"

#include <gtest/gtest.h>

#include <string>

namespace penstock {
namespace {

constexpr TokenId kLargest = kMaxTokenId;

class MergeMemoryTest : public ::testing::Test {
 protected:
  TokenId PieceOf(std::string_view character, TokenId piece) {
    return memory_.PieceOf(character, [&] { return Count(piece); });
  }
  TokenId MergedOf(TokenId left, TokenId right, TokenId merged) {
    return memory_.MergedOf(left, right, [&] { return Count(merged); });
  }
  TokenId Count(TokenId id) {
    ++found_;
    return id;
  }

  MergeMemory memory_;
  int found_ = 0;
};

TEST_F(MergeMemoryTest, WhatWasFoundIsNotLookedForAgain) {
  for (const TokenId id : {TokenId{0}, kLargest - 1, kNoToken}) {
    memory_ = MergeMemory();
    found_ = 0;
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(PieceOf("日", id), id);
      EXPECT_EQ(PieceOf(std::string(1, '\0'), id), id);
      EXPECT_EQ(MergedOf(0, 0, id), id);
      EXPECT_EQ(MergedOf(0, (1 << 21) - 2, id), id);
    }
    EXPECT_EQ(found_, 4);
  }
}

// Bytes of a broken character are not the character.
TEST_F(MergeMemoryTest, OthersAreTold) {
  using std::string_literals::operator""s;
  EXPECT_EQ(PieceOf("\xe6", 1), 1u);
  EXPECT_EQ(PieceOf("\xe6\0\0"s, 2), 2u);
  EXPECT_EQ(PieceOf("\xe6\0"s, 3), 3u);
  EXPECT_EQ(MergedOf(1, 2, 4), 4u);
  EXPECT_EQ(MergedOf(2, 1, 5), 5u);
  EXPECT_EQ(MergedOf(1, 3, 6), 6u);
}

TEST_F(MergeMemoryTest, WhatHasNoRoomIsFoundEachTime) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(PieceOf("a", kLargest), kLargest);
    EXPECT_EQ(MergedOf(1, 2, kLargest), kLargest);
    EXPECT_EQ(MergedOf((1 << 21) - 1, 2, 3), 3u);
    EXPECT_EQ(MergedOf(kNoToken, 2, 4), 4u);
    EXPECT_EQ(MergedOf(2, kNoToken, 5), 5u);
  }
  EXPECT_EQ(found_, 10);
}

// More than there are entries: later ones take the places of earlier ones.
TEST_F(MergeMemoryTest, AnyNumberOfNeighboursIsAnsweredRight) {
  for (int turn = 0; turn < 2; ++turn) {
    for (TokenId left = 0; left < 300; ++left) {
      for (TokenId right = 0; right < 300; ++right) {
        const TokenId merged = left % 3 == 0 ? kNoToken : left * 300 + right;
        ASSERT_EQ(MergedOf(left, right, merged), merged);
      }
    }
  }
}

}  // namespace
}  // namespace penstock
