#include "tokenizer/vocabulary/piece_boundaries.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "tokenizer/vocabulary/first_bytes.h"

namespace penstock {

PieceBoundaries::PieceBoundaries(size_t bytes) {
  // There are fewer pairs than bytes, most of them many times: one bit in 32 or
  // so is set, and few parts are longer than they could be.
  const int table_bits = std::clamp<int>(std::bit_width(8 * bytes), 12, 24);
  shift_ = 32 - table_bits;
  bits_ = Table<uint64_t>((size_t{1} << table_bits) / 64);
}

bool PieceBoundaries::Add(std::string_view piece) {
  uint64_t* const bits = &bits_.At(0);
  const char* const end = piece.data() + piece.size();
  uint32_t before = 0;
  for (const char* at = piece.data(); at != end;) {
    // As TakeChar has it, and nothing behind the piece is read.
    uint32_t after = static_cast<unsigned char>(*at);
    size_t size = 1;
    if (after >= 0x80) {
      size = Utf8SizeOfChar(at, end);
      if (size == 0) return false;
      after = static_cast<uint32_t>(FirstBytes({at, size}));
    }
    if (at != piece.data()) {
      const uint32_t hash = HashOf(before, after);
      bits[hash / 64] |= uint64_t{1} << hash % 64;
      if (before < 0x80 && after < 0x80) {
        ascii_bits_[2 * before + after / 64] |= uint64_t{1} << after % 64;
      }
    }
    before = after;
    at += size;
  }
  return true;
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
