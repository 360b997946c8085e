#include "tokenizer/vocabulary/piece_boundaries.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace penstock {

PieceBoundaries::PieceBoundaries(std::span<const std::string_view> pieces) {
  size_t bytes = 0;
  for (const std::string_view piece : pieces) bytes += piece.size();
  // There are fewer pairs than bytes, most of them many times: one bit in 32 or
  // so is set, and few parts are longer than they could be.
  const int table_bits = std::clamp<int>(std::bit_width(8 * bytes), 12, 24);
  shift_ = 32 - table_bits;
  HugePageVector<uint64_t> bits((size_t{1} << table_bits) / 64);
  std::string padded;
  for (const std::string_view piece : pieces) {
    padded.assign(piece);
    padded.append(TextBuffer::kSlack, '\0');
    const char* at = padded.data();
    const char* const end = at + piece.size();
    uint32_t before = TakeChar(at);
    while (at < end) {
      const uint32_t after = TakeChar(at);
      const uint32_t hash = HashOf(before, after);
      bits[hash / 64] |= uint64_t{1} << hash % 64;
      if (before < 0x80 && after < 0x80) {
        ascii_bits_[2 * before + after / 64] |= uint64_t{1} << after % 64;
      }
      before = after;
    }
  }
  bits_ = Table<uint64_t>(std::move(bits));
}

void PieceBoundaries::Save(TableWriter& to) const {
  to.PutTable(bits_);
  to.PutNumber(shift_);
  for (const uint64_t bits : ascii_bits_) to.PutNumber(bits);
}

PieceBoundaries PieceBoundaries::Load(TableReader& from) {
  PieceBoundaries boundaries;
  boundaries.bits_ = from.TakeTable<uint64_t>();
  boundaries.shift_ = static_cast<int>(from.Number());
  for (uint64_t& bits : boundaries.ascii_bits_) bits = from.Number();
  from.Expect(boundaries.bits_.empty() ||
              uint64_t{64} * boundaries.bits_.size() ==
                  uint64_t{1} << (32 - boundaries.shift_) % 64);
  return boundaries;
}

}  // namespace penstock
