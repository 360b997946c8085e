// What tests of LongPieces share.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tokenizer/pieces/long_pieces.h"

namespace penstock::testing {

// With one thread, inside.
class LongPiecesFixture : public ::testing::Test {
 protected:
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

  Readers readers_;
  Readers::Reader self_{readers_};
  Inserter by_{self_};
};

}  // namespace penstock::testing
