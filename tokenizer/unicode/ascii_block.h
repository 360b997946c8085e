// The classes of the next 64 bytes, a bit for each.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <cstddef>
#include <cstdint>

namespace penstock {

// Looks at kBytes bytes, all of which must be readable. Bit i is of byte i.
struct AsciiBlock {
  static constexpr size_t kBytes = 64;

  explicit AsciiBlock(const char* at);

  uint64_t letters = 0;
  uint64_t capitals = 0;
  uint64_t digits = 0;
  uint64_t spaces = 0;  // White_Space, the next two too
  uint64_t blanks = 0;  // U+0020
  uint64_t newlines = 0;
  uint64_t apostrophes = 0;
  uint64_t slashes = 0;
  uint64_t wide = 0;    // not ASCII
  uint64_t others = 0;  // none of letters, digits, spaces, wide
};

// Of each run of ones, the first and the last.
inline uint64_t Firsts(uint64_t runs) { return runs & ~(runs << 1); }
inline uint64_t Lasts(uint64_t runs) { return runs & ~(runs >> 1); }

// Of each run of ones, every third from the first on.
inline uint64_t ByThrees(uint64_t runs) {
  uint64_t found = Firsts(runs);
  const uint64_t behind_two = runs & runs << 1 & runs << 2;
  for (uint64_t next = found; (next = next << 3 & behind_two) != 0;) {
    found |= next;
  }
  return found;
}

#ifdef __SSE2__
inline AsciiBlock::AsciiBlock(const char* at) {
  for (int i = 0; i < 64; i += 16) {
    const __m128i bytes =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + i));
    const auto put = [i](uint64_t& bits, __m128i mask) {
      bits |= uint64_t{static_cast<uint32_t>(_mm_movemask_epi8(mask))} << i;
    };
    const auto equal = [&](char c) {
      return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c));
    };
    // The `size` bytes from `first` on.
    const auto among = [](__m128i in, char first, char size) {
      const __m128i place = _mm_sub_epi8(in, _mm_set1_epi8(first));
      return _mm_cmpeq_epi8(
          _mm_min_epu8(place, _mm_set1_epi8(static_cast<char>(size - 1))),
          place);
    };
    const __m128i small = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    const __m128i blank = equal(' ');
    put(letters, among(small, 'a', 26));
    put(capitals, among(bytes, 'A', 26));
    put(digits, among(bytes, '0', 10));
    put(spaces, _mm_or_si128(among(bytes, '\t', 5), blank));
    put(blanks, blank);
    put(newlines, _mm_or_si128(equal('\n'), equal('\r')));
    put(apostrophes, equal('\''));
    put(slashes, equal('/'));
    put(wide, bytes);
  }
  others = ~(letters | digits | spaces | wide);
}
#else
inline AsciiBlock::AsciiBlock(const char* at) {
  for (size_t i = 0; i < kBytes; ++i) {
    const auto byte = static_cast<unsigned char>(at[i]);
    const auto among = [byte](unsigned char first, unsigned char size) {
      return static_cast<unsigned char>(byte - first) < size;
    };
    const auto put = [i](uint64_t& bits, bool is) {
      bits |= uint64_t{is} << i;
    };
    put(letters, among('a', 26) || among('A', 26));
    put(capitals, among('A', 26));
    put(digits, among('0', 10));
    put(spaces, among('\t', 5) || byte == ' ');
    put(blanks, byte == ' ');
    put(newlines, byte == '\n' || byte == '\r');
    put(apostrophes, byte == '\'');
    put(slashes, byte == '/');
    put(wide, byte >= 0x80);
  }
  others = ~(letters | digits | spaces | wide);
}
#endif

}  // namespace penstock
