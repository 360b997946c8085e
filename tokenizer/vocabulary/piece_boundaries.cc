#include "tokenizer/vocabulary/piece_boundaries.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "tokenizer/unicode/valid_utf8.h"
#include "tokenizer/vocabulary/first_bytes.h"

namespace penstock {
namespace {

constexpr uint32_t kSpaceMark = 0x8196e2;  // U+2581, as TakeChar has it

bool IsWide(char byte) { return static_cast<signed char>(byte) < 0; }
bool IsTrail(char byte) { return static_cast<signed char>(byte) < -64; }

}  // namespace

PieceBoundaries PieceBoundaries::Of(std::span<const std::string_view> pieces) {
  size_t bytes = 0;
  for (const std::string_view piece : pieces) bytes += piece.size();
  // There are fewer pairs than bytes, most of them many times: one bit in 32 or
  // so is set, and few parts are longer than they could be.
  const int table_bits = std::clamp<int>(std::bit_width(8 * bytes), 12, 24);
  PieceBoundaries boundaries;
  boundaries.shift_ = 32 - table_bits;
  boundaries.bits_ = Table<uint64_t>((size_t{1} << table_bits) / 64);
  AsciiPairs::Befores befores;
  for (const std::string_view piece : pieces) {
    if (!boundaries.Add(piece, befores)) return PieceBoundaries();
  }
  boundaries.ascii_pairs_ = AsciiPairs(befores);
  return boundaries;
}

bool PieceBoundaries::Add(std::string_view piece,
                          AsciiPairs::Befores& befores) {
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
      if (before < 0x80 && after < 0x80) befores[after].set(before);
      has_two_spaces_ |= before == kSpaceMark && after == kSpaceMark;
      has_after_space_ |= before == kSpaceMark && after != kSpaceMark;
      has_before_space_ |= before != kSpaceMark && after == kSpaceMark;
    }
    before = after;
    at += size;
  }
  return true;
}

bool PieceBoundaries::Cuts(uint32_t before, uint32_t after) const {
  const auto bytes_of = [](uint32_t c) {
    std::string text;
    AppendChar(c, text);
    return static_cast<uint32_t>(FirstBytes(text));
  };
  return !bits_.empty() && !AreJoined(bytes_of(before), bytes_of(after));
}

uint32_t PieceBoundaries::CharBefore(const char* end) {
  const char* at = end - 1;
  while (IsTrail(*at)) --at;
  return TakeChar(at);
}

uint64_t PieceBoundaries::CutsIn(const char* at) const {
  if (bits_.empty()) return 0;
  constexpr uint64_t kLast = uint64_t{1} << (kLooked - 1);
  const BoundaryBlock block(at, ascii_pairs_);
  const uint64_t wide =
      block.wide | block.wide >> 1 | (IsWide(at[kLooked]) ? kLast : 0);
  uint64_t cuts = ~block.joined & ~wide;
  // Places where one of the characters is none of ASCII.
  uint64_t others =
      wide & ~(block.trails >> 1 | (IsTrail(at[kLooked]) ? kLast : 0));
  if (!has_before_space_) {
    // Most of them are before and after a space. What is not seen here of the
    // characters beside it stays among the others.
    const uint64_t before = block.spaces >> 1 & ~uint64_t{3};
    const uint64_t after = block.spaces << 2 & ~kLast;
    others &= ~(before | after);
    cuts |= has_two_spaces_ ? before & ~after : before;
    if (!has_after_space_) cuts |= after & ~before;
  }
  const char* known_end = nullptr;  // behind the character `known`
  uint32_t known = 0;
  for (; others != 0; others &= others - 1) {
    const int i = std::countr_zero(others);
    const char* end = at + i + 1;
    const uint32_t before = end == known_end ? known : CharBefore(end);
    known = TakeChar(end);
    known_end = end;
    cuts |= uint64_t{!AreJoined(before, known)} << i;
  }
  return cuts;
}

void PieceBoundaries::Save(TableWriter& to) const {
  to.PutTable(bits_);
  to.PutNumber(shift_);
  ascii_pairs_.Save(to);
  to.PutNumber(has_before_space_);
  to.PutNumber(has_after_space_);
  to.PutNumber(has_two_spaces_);
}

PieceBoundaries PieceBoundaries::Load(TableReader& from) {
  PieceBoundaries boundaries;
  boundaries.bits_ = from.TakeTable<uint64_t>();
  boundaries.shift_ = static_cast<int>(from.Number());
  boundaries.ascii_pairs_ = AsciiPairs::Load(from);
  boundaries.has_before_space_ = from.Number() != 0;
  boundaries.has_after_space_ = from.Number() != 0;
  boundaries.has_two_spaces_ = from.Number() != 0;
  from.Expect(boundaries.bits_.empty() ||
              uint64_t{64} * boundaries.bits_.size() ==
                  uint64_t{1} << (32 - boundaries.shift_) % 64);
  return boundaries;
}

}  // namespace penstock
