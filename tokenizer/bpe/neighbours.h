// Remembers which tokens were found to stay apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tokenizer/bpe/derivations.h"

namespace penstock {

// Derivations::StayApart behind a table of 256 KiB, where a new pair replaces
// the one that hashes alike: a text has few pairs that it often has.
//
// Threads: one at a time.
class Neighbours {
 public:
  bool StayApart(const Derivations& derivations, TokenId left, TokenId right) {
    // Ids are below 2^22: kMaxTokenId. No entry is 0.
    const uint64_t pair = (uint64_t{left} << 22 | right) << 2 | 2;
    uint64_t& known = entries_[pair * 0x9fb21c651e98df25 >> (64 - kBits)];
    if ((known ^ pair) > 1) known = pair | derivations.StayApart(left, right);
    return known & 1;
  }

 private:
  static constexpr int kBits = 15;
  std::vector<uint64_t> entries_ = std::vector<uint64_t>(size_t{1} << kBits);
};

}  // namespace penstock
