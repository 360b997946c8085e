// What tests of LongPieces share.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tokenizer/pieces/long_pieces.h"

namespace penstock::testing {

// With one thread, inside.
class LongPiecesFixture : public ::testing::Test {
 protected:
  static constexpr size_t kSmallRing = 1 << 20;
  // The smallest that takes the longest records.
  static constexpr size_t kRingOfLongest = 8 << 20;
  // Of `many_`, with their count.
  static constexpr size_t kRecordBytes = 1012;

  LongPiecesFixture() { self_.Enter(); }

  static std::optional<std::vector<TokenId>> Known(const LongPieces& pieces,
                                                   const std::string& piece) {
    const auto ids = pieces.Find(piece, LongPieces::HashOf(piece));
    if (!ids) return std::nullopt;
    return std::vector<TokenId>(ids->begin(), ids->end());
  }

  void Insert(LongPieces& pieces, const std::string& piece,
              const std::vector<TokenId>& ids) {
    pieces.Insert(by_, piece, LongPieces::HashOf(piece), ids);
  }

  // A full ring may keep a piece when it comes again.
  void InsertUntilKept(LongPieces& pieces, const std::string& piece,
                       const std::vector<TokenId>& ids) {
    Insert(pieces, piece, ids);
    if (!Known(pieces, piece)) Insert(pieces, piece, ids);
  }

  const std::vector<TokenId> many_ = std::vector<TokenId>(252, 3);
  Readers readers_;
  Readers::Reader self_{readers_};
  Inserter by_{self_};
};

}  // namespace penstock::testing
