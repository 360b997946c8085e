// Merges many short pieces side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tokenizer/bpe/byte_pairs.h"
#include "tokenizer/bpe/derivations.h"
#include "tokenizer/interface/tokenizer.h"

namespace penstock {

// What MergeShort does, for sixteen pieces at a time. Each step looks for pairs
// in tables that are larger than the nearest caches: alone, a piece waits for
// each of them; here sixteen wait together.
//
// Threads: one at a time.
class LaneMerges {
 public:
  static constexpr size_t kMostBytes = 32;

  // Whether this processor can: Run is to be called only where it can.
  static bool IsThere();

  // Forgets what was added.
  void Clear() {
    pieces_.clear();
    bytes_ = 0;
  }
  // `piece`, of 1 to kMostBytes bytes, must outlive Run. Returns its number,
  // from 0 on.
  size_t Add(std::string_view piece) {
    pieces_.push_back({piece, 0, 0});
    bytes_ += piece.size();
    return pieces_.size() - 1;
  }
  size_t size() const { return pieces_.size(); }
  // `pairs` are of the same vocabulary.
  void Run(const Derivations& derivations, const BytePairs& pairs);
  // What became of a piece, until the next Run.
  std::span<const TokenId> IdsOf(size_t number) const {
    return std::span(ids_).subspan(pieces_[number].first,
                                   pieces_[number].count);
  }

 private:
  class Lanes;
  struct Piece {
    std::string_view bytes;
    uint32_t first, count;  // of its ids
  };

  std::vector<Piece> pieces_;
  std::vector<uint16_t> queue_;  // their numbers
  size_t bytes_ = 0;             // of all
  std::vector<TokenId> ids_;
};

}  // namespace penstock
