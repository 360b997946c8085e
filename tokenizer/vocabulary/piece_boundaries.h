// Cuts text where no piece can cross, so that each part can be segmented, and
// remembered, by itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "tokenizer/interface/text_buffer.h"
#include "tokenizer/unicode/utf8.h"
#include "tokenizer/vocabulary/stored_tables.h"
#include "tokenizer/vocabulary/table.h"

namespace penstock {

// Remembers which two characters stand side by side in some piece, in a table
// of hashes: two that do not, but hash alike, only make a part longer.
//
// Memory:  128 KiB for the pairs of 32,000 pieces.
//
// Threads: any number at a time.
class PieceBoundaries {
 public:
  // Cuts nothing.
  PieceBoundaries() = default;
  // For pieces of so many bytes together. Cuts everywhere as long as there are
  // none.
  explicit PieceBoundaries(size_t bytes);
  // False for a piece that is not UTF-8: these boundaries are then of no use.
  bool Add(std::string_view piece);

  // What Load makes them of again, that look where `from` does.
  void Save(TableWriter& to) const;
  static PieceBoundaries Load(TableReader& from);

  // The end of the part that begins at `at`, not `end`. Both are in UTF-8 with
  // TextBuffer::kSlack after it, at the start of a character.
  //
  // Cost:    about 1 ns a character.
  const char* PartEnd(const char* at, const char* end) const {
    if (bits_.empty()) return end;
    while (true) {
      // Words of ASCII are most of many texts, behind a space that is not.
      if (static_cast<signed char>(*at) >= 0) {
        for (; at + 1 < end && static_cast<signed char>(at[1]) >= 0; ++at) {
          if (!JoinedAscii(at[0], at[1])) return at + 1;
        }
      }
      const uint32_t before = TakeChar(at);
      if (at >= end) return end;
      const char* next = at;
      const uint32_t hash = HashOf(before, TakeChar(next));
      if ((bits_[hash / 64] >> hash % 64 & 1) == 0) return at;
    }
  }

 private:
  // The character's bytes as a number. Moves `at` behind it.
  static uint32_t TakeChar(const char*& at) {
    const auto lead = static_cast<unsigned char>(*at);
    if (lead < 0x80) {
      ++at;
      return lead;
    }
    uint32_t bytes;
    std::memcpy(&bytes, at, 4);
    const size_t size = Utf8SizeByLead(lead);
    at += size;
    return bytes & (0xffffffffu >> (32 - 8 * size));
  }

  bool JoinedAscii(char before, char after) const {
    return ascii_bits_[2 * static_cast<size_t>(before) + (after >> 6)] >>
               (after & 63) &
           1;
  }

  uint32_t HashOf(uint32_t before, uint32_t after) const {
    return (before * 0x85ebca6bu + after) * 0x9e3779b1u >> shift_;
  }

  Table<uint64_t> bits_;
  // Pairs of ASCII, not hashed: 128 bits for each first one.
  std::array<uint64_t, 2 * 128> ascii_bits_{};
  int shift_ = 0;
};

}  // namespace penstock
