// A short piece as two words, to be hashed and compared at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "tokenizer/vocabulary/first_bytes.h"

namespace penstock {

// The bytes of a piece, zeros behind them, and its size as the last byte.
struct PieceKey {
  static constexpr size_t kMostBytes = 15;

  uint64_t head, tail;

  friend bool operator==(const PieceKey&, const PieceKey&) = default;

  // Of a piece of 1 to kMostBytes bytes.
  static PieceKey Of(std::string_view piece) {
    const size_t size = piece.size();
    const char* const end = piece.data() + size;
    PieceKey key = {FirstBytes(piece), uint64_t{size} << 56};
    // The second word may begin in the first.
    if (size >= 8) {
      key.tail |= FirstBytes({end - 8, 8}) >> 8 >> (15 - size) * 8;
    }
    return key;
  }
  // The same, where 16 bytes from the piece's begin may be read: faster.
  static PieceKey OfReadable(const char* piece, size_t size);
};

// [sizes]: the bits of a piece's bytes.
inline constexpr auto kPieceKeyMasks = [] {
  std::array<PieceKey, PieceKey::kMostBytes + 1> masks{};
  for (size_t size = 1; size <= PieceKey::kMostBytes; ++size) {
    const auto low = [](size_t bytes) {
      return bytes >= 8 ? ~uint64_t{0} : (uint64_t{1} << bytes * 8) - 1;
    };
    masks[size] = {low(size), size > 8 ? low(size - 8) : 0};
  }
  return masks;
}();

inline PieceKey PieceKey::OfReadable(const char* piece, size_t size) {
  PieceKey key;
  std::memcpy(&key, piece, sizeof(key));
  const PieceKey& mask = kPieceKeyMasks[size];
  return {key.head & mask.head, (key.tail & mask.tail) | uint64_t{size} << 56};
}

}  // namespace penstock
