// Remembers which pieces characters are, and what neighbours merge to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/vocabulary/first_bytes.h"
#include "tokenizer/vocabulary/vocabulary.h"

namespace penstock {

// Tables of 32 and 256 KiB, where new ones replace those that hash alike: a
// text has few that it often has.
//
//   character   its size, 3 bits; its bytes, 32; its piece, 22
//   neighbours  left, 21 bits; right, 21; what they merge to, 22
//
// 0 for none.
//
// Threads: one at a time.
class MergeMemory {
 public:
  // What find() gives for the character, of 1 to 4 bytes: an id or kNoToken,
  // each time the same.
  template <typename FindPiece>
  TokenId PieceOf(std::string_view character, FindPiece&& find) {
    return Look(characters_,
                uint64_t{character.size()} << 32 | FirstBytes(character),
                kCharacterBits, find);
  }
  // The same for neighbours.
  template <typename FindMerged>
  TokenId MergedOf(TokenId left, TokenId right, FindMerged&& find) {
    if (left >= kEndOfIds || right >= kEndOfIds) return find();
    return Look(neighbours_, uint64_t{left + 1} << kIdBits | right,
                kNeighbourBits, find);
  }

 private:
  using Entries = std::vector<uint64_t>;
  static constexpr int kCharacterBits = 12;
  static constexpr int kNeighbourBits = 15;
  static constexpr int kIdBits = 21;
  static constexpr TokenId kEndOfIds = (TokenId{1} << kIdBits) - 1;
  static constexpr int kFoundBits = 22;
  static constexpr TokenId kNothing = (TokenId{1} << kFoundBits) - 1;
  static_assert(kMaxTokenId <= kNothing);

  // `key` is not 0.
  template <typename Find>
  static TokenId Look(Entries& entries, uint64_t key, int bits, Find&& find) {
    uint64_t& known = entries[key * 0x9fb21c651e98df25 >> (64 - bits)];
    if (known >> kFoundBits != key) {
      const TokenId found = find();
      if (found == kNothing) return found;  // a piece that has no room
      known = key << kFoundBits | (found & kNothing);
    }
    const auto found = static_cast<TokenId>(known & kNothing);
    return found == kNothing ? kNoToken : found;
  }

  Entries characters_ = Entries(size_t{1} << kCharacterBits);
  Entries neighbours_ = Entries(size_t{1} << kNeighbourBits);
};

}  // namespace penstock
