// Finds where no piece can cross a text, so that each part between two such
// places can be segmented, and remembered, by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "tokenizer/unicode/utf8.h"
#include "tokenizer/vocabulary/boundary_block.h"
#include "tokenizer/vocabulary/stored_tables.h"
#include "tokenizer/vocabulary/table.h"

namespace penstock {

// Remembers which two characters stand side by side in some piece, in a table
// of hashes: two that do not, but hash alike, only make a part longer.
//
// Memory:  36 KiB, and 128 KiB for the pairs of 32,000 pieces.
//
// Threads: any number at a time.
class PieceBoundaries {
 public:
  // Cuts nothing.
  PieceBoundaries() = default;
  // Cuts everywhere if there are none, nothing if one is not UTF-8.
  static PieceBoundaries Of(std::span<const std::string_view> pieces);

  // What Load makes them of again, that look where `from` does.
  void Save(TableWriter& to) const;
  static PieceBoundaries Load(TableReader& from);

  // Whether no piece has these two characters side by side; maybe not of some.
  bool Cuts(uint32_t before, uint32_t after) const;

  // Bit i: that no piece crosses from at[i] to at[i + 1]. Of places that are
  // not between two characters none; of others perhaps not all. The bytes
  // before `at`, back to where a character began, are in UTF-8, and so are
  // those from there on; kRead of them may be read.
  //
  // Cost:    about half a nanosecond a byte.
  static constexpr size_t kLooked = BoundaryBlock::kBytes;
  static constexpr size_t kRead = kLooked + 4;
  uint64_t CutsIn(const char* at) const;

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
  static uint32_t CharBefore(const char* end);

  // False for a piece that is not UTF-8.
  bool Add(std::string_view piece, AsciiPairs::Befores& befores);
  bool AreJoined(uint32_t before, uint32_t after) const {
    const uint32_t hash = HashOf(before, after);
    return (bits_[hash / 64] >> hash % 64 & 1) != 0;
  }
  uint32_t HashOf(uint32_t before, uint32_t after) const {
    return (before * 0x85ebca6bu + after) * 0x9e3779b1u >> shift_;
  }

  Table<uint64_t> bits_;
  AsciiPairs ascii_pairs_;
  int shift_ = 0;
  // Of U+2581, the space of most models: whether it stands behind another
  // character in some piece, before another one, and behind another U+2581.
  bool has_before_space_ = false;
  bool has_after_space_ = false;
  bool has_two_spaces_ = false;
};

}  // namespace penstock
