#include "tokenizer/bpe/piece_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status.h"

namespace penstock {
namespace {

// Batches whose pieces become their bytes, an id each.
class PieceBatchTest : public ::testing::Test {
 protected:
  Status Encode(const std::vector<std::string>& pieces) {
    std::string text;
    std::vector<size_t> ends;
    for (const std::string& piece : pieces) {
      text += piece;
      ends.push_back(text.size());
    }
    ids_.clear();
    encoded_.clear();
    const size_t expected_before = expected_.size();
    const PieceMemory::Visit visit(memory_);
    return PieceBatch(text, memory_, ids_)
        .Encode(
            0, ends,
            [&](std::string_view piece) { expected_.emplace_back(piece); },
            [&](std::string_view piece, size_t nth) {
              if (nth != PieceBatch::kUnexpected) {
                EXPECT_EQ(expected_.at(expected_before + nth), piece);
              }
              if (piece == refused_) return InvalidArgumentError("refused");
              encoded_.emplace_back(piece);
              for (const char c : piece) {
                ids_.push_back(static_cast<unsigned char>(c));
              }
              return OkStatus();
            });
  }
  std::string Ids() const { return {ids_.begin(), ids_.end()}; }

  SharedPieces shared_;
  PieceMemory memory_{shared_};
  std::vector<TokenId> ids_;
  std::vector<std::string> expected_, encoded_;
  std::string refused_;
};

// Of up to kMaxIds ids, of more, and of more bytes than PieceCache takes.
const std::vector<std::string> kOfEachKind = {
    "ab", "12345678", "a piece of more than fifteen bytes"};

TEST_F(PieceBatchTest, PiecesThatComeTwiceAreEncodedOnce) {
  for (const std::string& piece : kOfEachKind) {
    ASSERT_TRUE(Encode({piece, "x" + piece, piece, piece}).ok());
    EXPECT_EQ(Ids(), piece + "x" + piece + piece + piece);
    EXPECT_EQ(encoded_, (std::vector<std::string>{piece, "x" + piece}));
    ASSERT_TRUE(Encode({"x" + piece, piece}).ok());
    EXPECT_EQ(Ids(), "x" + piece + piece);
    EXPECT_TRUE(encoded_.empty());
  }
}

TEST_F(PieceBatchTest, WholeBatchesKeepTheirOrder) {
  std::vector<std::string> pieces;
  std::string text;
  for (size_t i = 0; i < PieceBatch::kMost; ++i) {
    pieces.push_back(kOfEachKind[i % 3] + std::to_string(i / 7));
    text += pieces.back();
  }
  ASSERT_TRUE(Encode(pieces).ok());
  EXPECT_EQ(Ids(), text);
  // In the other order: some are known, others are new again.
  for (size_t i = 0; i < pieces.size(); i += 5) pieces[i] += "!";
  std::ranges::reverse(pieces);
  text.clear();
  for (const std::string& piece : pieces) text += piece;
  ASSERT_TRUE(Encode(pieces).ok());
  EXPECT_EQ(Ids(), text);
}

TEST_F(PieceBatchTest, HugePiecesAreEncodedTwice) {
  const std::string huge(LongPieces::kMaxPieceBytes + 1, 'x');
  for (const size_t times : {1, 1, 0}) {
    ASSERT_TRUE(Encode({"ab", huge, "cd"}).ok());
    EXPECT_EQ(Ids(), "ab" + huge + "cd");
    EXPECT_EQ(std::ranges::count(encoded_, huge), times);
  }
  shared_.Clear();
  ASSERT_TRUE(Encode({huge, "y" + huge, huge, huge}).ok());
  EXPECT_EQ(Ids(), huge + "y" + huge + huge + huge);
  EXPECT_EQ(std::ranges::count(encoded_, huge), 2);
}

TEST_F(PieceBatchTest, NewPiecesAreExpectedBeforeTheFirstIsEncoded) {
  ASSERT_TRUE(Encode({kOfEachKind[0], kOfEachKind[1], kOfEachKind[2]}).ok());
  EXPECT_EQ(expected_, kOfEachKind);
  ASSERT_TRUE(Encode({kOfEachKind[2], kOfEachKind[1], kOfEachKind[0]}).ok());
  EXPECT_EQ(expected_, kOfEachKind);
}

TEST_F(PieceBatchTest, ANewPieceIsExpectedOnce) {
  std::vector<std::string> pieces;
  std::string text;
  for (int i = 0; i < 30; ++i) {
    pieces.push_back(kOfEachKind[i % 3]);
    text += pieces.back();
  }
  ASSERT_TRUE(Encode(pieces).ok());
  EXPECT_EQ(Ids(), text);
  EXPECT_EQ(expected_, kOfEachKind);
  EXPECT_EQ(encoded_, kOfEachKind);
}

TEST_F(PieceBatchTest, EndsWithTheFirstErrorAndRemembersNothingOfIt) {
  refused_ = "no";
  EXPECT_EQ(Encode({"ab", "no", "cd"}).message(), "refused");
  EXPECT_EQ(encoded_, std::vector<std::string>{"ab"});
  refused_.clear();
  ASSERT_TRUE(Encode({"ab", "no", "cd"}).ok());
  EXPECT_EQ(Ids(), "abnocd");
  EXPECT_EQ(encoded_, (std::vector<std::string>{"no", "cd"}));
}

TEST_F(PieceBatchTest, WhatOneThreadEncodedAnotherKnows) {
  ASSERT_TRUE(Encode(kOfEachKind).ok());
  PieceMemory other(shared_);
  const PieceMemory::Visit visit(other);
  const std::string text = kOfEachKind[0] + kOfEachKind[1] + kOfEachKind[2];
  const std::vector<size_t> ends = {2, 10, text.size()};
  ids_.clear();
  const auto none = [](std::string_view piece, auto...) {
    return InvalidArgumentError(std::string(piece));
  };
  EXPECT_TRUE(PieceBatch(text, other, ids_)
                  .Encode(
                      0, ends, [](std::string_view) {}, none)
                  .ok());
  EXPECT_EQ(Ids(), text);
}

}  // namespace
}  // namespace penstock
