// What characters of three bytes become where they stand alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/pieces/zero_pages.h"
#include "tokenizer/vocabulary/char_cuts.h"

namespace penstock {

// By character; filled as they come.
//
//   entry   up to three ids, 21 bits each, one more than they are; 0 for none
//
// Memory:  512 KiB, taken once a character comes.
//
// Threads: one at a time.
class CharIds {
 public:
  using Char = CharCuts::Char;
  static constexpr size_t kMostIds = 3;

  CharIds() : pages_(CharCuts::kChars * sizeof(uint64_t)) {}

  // Writes kMostIds ids; returns how many are the character's, 0 where it is
  // not known.
  size_t CopyTo(Char c, TokenId* to) const {
    const uint64_t entry = entries()[c];
    to[0] = static_cast<TokenId>((entry & kMask) - 1);
    to[1] = static_cast<TokenId>((entry >> kBits & kMask) - 1);
    to[2] = static_cast<TokenId>((entry >> 2 * kBits) - 1);
    return size_t{entry != 0} + (entry >> kBits != 0) +
           (entry >> 2 * kBits != 0);
  }
  // Of 1 to kMostIds ids. Large ones are not kept.
  void Set(Char c, std::span<const TokenId> ids) {
    uint64_t entry = 0;
    for (size_t i = ids.size(); i-- > 0;) {
      if (ids[i] >= kMask) return;
      entry = entry << kBits | (ids[i] + 1);
    }
    // Characters come from all over.
    if (!is_taken_) pages_.Take(0, pages_.size_bytes());
    is_taken_ = true;
    entries()[c] = entry;
  }

 private:
  static constexpr int kBits = 21;
  static constexpr uint64_t kMask = (uint64_t{1} << kBits) - 1;

  uint64_t* entries() const { return static_cast<uint64_t*>(pages_.data()); }

  ZeroPages pages_;
  bool is_taken_ = false;  // their memory
};

}  // namespace penstock
