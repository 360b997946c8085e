#include "tokenizer/piece_boundaries.h"

#include <algorithm>
#include <bit>
#include <string>

namespace penstock {

PieceBoundaries::PieceBoundaries(std::span<const std::string_view> pieces) {
  std::vector<uint64_t> pairs;
  std::string padded;
  for (const std::string_view piece : pieces) {
    padded.assign(piece);
    padded.append(TextBuffer::kSlack, '\0');
    const char* at = padded.data();
    const char* const end = at + piece.size();
    uint32_t before = TakeChar(at);
    while (at < end) {
      const uint32_t after = TakeChar(at);
      pairs.push_back(uint64_t{before} << 32 | after);
      before = after;
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  // One bit in 32 set: few parts are longer than they could be.
  const int table_bits =
      std::clamp<int>(std::bit_width(32 * pairs.size()), 12, 24);
  shift_ = 32 - table_bits;
  bits_.resize((size_t{1} << table_bits) / 64);
  for (const uint64_t pair : pairs) {
    const uint32_t hash = HashOf(pair >> 32, static_cast<uint32_t>(pair));
    bits_[hash / 64] |= uint64_t{1} << hash % 64;
  }
}

}  // namespace penstock
