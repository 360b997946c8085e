// What each byte and each two bytes become, without a lookup.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tokenizer/bpe/merge_table.h"
#include "tokenizer/bpe/pair_ranks.h"
#include "tokenizer/interface/tokenizer.h"

namespace penstock {

// The pairs that every piece begins with as a table: 256 KiB, of which a text
// uses little.
//
// Threads: any number at a time.
class BytePairs {
 public:
  // The ids of the 256 bytes, kNoToken for what has none.
  using Ids = std::array<TokenId, 256>;

  BytePairs(const PairRanks& ranks, const Ids& ids)
      : ids_(ids), ranks_(ids.size() * ids.size(), Merge::kNever) {
    for (size_t left = 0; left < ids.size(); ++left) {
      for (size_t right = 0; right < ids.size(); ++right) {
        if (ids[left] == kNoToken || ids[right] == kNoToken) continue;
        ranks_[left * ids.size() + right] = ranks.Find(ids[left], ids[right]);
      }
    }
  }

  TokenId IdOf(char byte) const {
    return ids_[static_cast<unsigned char>(byte)];
  }
  // Merge::kNever where the two do not.
  uint32_t RankOf(char left, char right) const {
    return ranks_[static_cast<unsigned char>(left) * ids_.size() +
                  static_cast<unsigned char>(right)];
  }

 private:
  Ids ids_;
  std::vector<uint32_t> ranks_;
};

}  // namespace penstock
