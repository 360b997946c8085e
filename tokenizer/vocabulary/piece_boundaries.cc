#include "tokenizer/vocabulary/piece_boundaries.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "tokenizer/vocabulary/first_bytes.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace penstock {
namespace {

constexpr uint32_t kSpace = 0x8196e2;  // U+2581, as TakeChar has it

bool IsWide(char byte) { return static_cast<signed char>(byte) < 0; }
bool IsTrail(char byte) { return static_cast<signed char>(byte) < -64; }

// A bit for each byte.
struct WideBytes {
  explicit WideBytes(const char* at);

  uint64_t wide = 0;    // not ASCII
  uint64_t trails = 0;  // within a character, not its first
  uint64_t spaces = 0;  // where U+2581 begins
};

#if defined(__x86_64__)
WideBytes::WideBytes(const char* at) {
  for (size_t i = 0; i < PieceBoundaries::kLooked; i += 16) {
    const auto bytes = [&](size_t behind) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + i + behind));
    };
    const auto are = [&](size_t behind, unsigned char byte) {
      return _mm_cmpeq_epi8(bytes(behind),
                            _mm_set1_epi8(static_cast<char>(byte)));
    };
    const auto put = [i](uint64_t& bits, __m128i mask) {
      bits |= uint64_t{static_cast<uint32_t>(_mm_movemask_epi8(mask))} << i;
    };
    put(wide, bytes(0));
    put(trails, _mm_cmplt_epi8(bytes(0), _mm_set1_epi8(-64)));
    put(spaces,
        _mm_and_si128(_mm_and_si128(are(0, 0xe2), are(1, 0x96)), are(2, 0x81)));
  }
}
#else
WideBytes::WideBytes(const char* at) {
  for (size_t i = 0; i < PieceBoundaries::kLooked; ++i) {
    wide |= uint64_t{IsWide(at[i])} << i;
    trails |= uint64_t{IsTrail(at[i])} << i;
    spaces |= uint64_t{std::memcmp(at + i, "\xe2\x96\x81", 3) == 0} << i;
  }
}
#endif

}  // namespace

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
        ascii_pairs_[before | after << 8] = 1;
      }
      has_two_spaces_ |= before == kSpace && after == kSpace;
      has_after_space_ |= before == kSpace && after != kSpace;
      has_before_space_ |= before != kSpace && after == kSpace;
    }
    before = after;
    at += size;
  }
  return true;
}

uint32_t PieceBoundaries::CharBefore(const char* end) {
  const char* at = end - 1;
  while (IsTrail(*at)) --at;
  return TakeChar(at);
}

uint64_t PieceBoundaries::AsciiPairsIn(const char* at) const {
  uint64_t joined = 0;
  for (size_t i = 0; i < kLooked; ++i) {
    uint16_t pair;
    std::memcpy(&pair, at + i, sizeof(pair));
    joined |= uint64_t{ascii_pairs_[pair & 0x7f7f]} << i;
  }
  return joined;
}

uint64_t PieceBoundaries::CutsIn(const char* at) const {
  if (bits_.empty()) return 0;
  constexpr uint64_t kLast = uint64_t{1} << (kLooked - 1);
  const WideBytes bytes(at);
  const uint64_t wide =
      bytes.wide | bytes.wide >> 1 | (IsWide(at[kLooked]) ? kLast : 0);
  uint64_t cuts = ~AsciiPairsIn(at) & ~wide;
  // Places where one of the characters is none of ASCII.
  uint64_t others =
      wide & ~(bytes.trails >> 1 | (IsTrail(at[kLooked]) ? kLast : 0));
  if (!has_before_space_) {
    // Most of them are before and after a space. What is not seen here of the
    // characters beside it stays among the others.
    const uint64_t before = bytes.spaces >> 1 & ~uint64_t{3};
    const uint64_t after = bytes.spaces << 2 & ~kLast;
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
  to.PutText({reinterpret_cast<const char*>(ascii_pairs_.data()),
              ascii_pairs_.size()});
  to.PutNumber(has_before_space_);
  to.PutNumber(has_after_space_);
  to.PutNumber(has_two_spaces_);
}

PieceBoundaries PieceBoundaries::Load(TableReader& from) {
  PieceBoundaries boundaries;
  boundaries.bits_ = from.TakeTable<uint64_t>();
  boundaries.shift_ = static_cast<int>(from.Number());
  const std::string_view pairs = from.Text();
  from.Expect(pairs.size() == boundaries.ascii_pairs_.size());
  if (from.ok()) {
    std::memcpy(boundaries.ascii_pairs_.data(), pairs.data(), pairs.size());
  }
  boundaries.has_before_space_ = from.Number() != 0;
  boundaries.has_after_space_ = from.Number() != 0;
  boundaries.has_two_spaces_ = from.Number() != 0;
  from.Expect(boundaries.bits_.empty() ||
              uint64_t{64} * boundaries.bits_.size() ==
                  uint64_t{1} << (32 - boundaries.shift_) % 64);
  return boundaries;
}

}  // namespace penstock
