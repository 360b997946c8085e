// What of the next 64 bytes is ASCII that normalization mostly leaves alone.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace penstock {

// Bit i is of byte i; all kBytes must be readable.
struct RunBytes {
  static constexpr size_t kBytes = 64;

  explicit RunBytes(const char* at) {
#if defined(__x86_64__)
    for (size_t i = 0; i < kBytes; i += 16) {
      const __m128i bytes =
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + i));
      const auto put = [i](uint64_t& bits, __m128i mask) {
        bits |= uint64_t{static_cast<uint32_t>(_mm_movemask_epi8(mask))} << i;
      };
      const auto equal = [&](char c) {
        return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c));
      };
      put(visible, _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(0x20)),
                                 _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x7f))));
      put(spaces, equal(' '));
      put(line_ends, equal('\n'));
      put(tabs, equal('\t'));
    }
#else
    for (size_t i = 0; i < kBytes; ++i) {
      visible |= uint64_t{at[i] > 0x20 && at[i] < 0x7f} << i;
      spaces |= uint64_t{at[i] == ' '} << i;
      line_ends |= uint64_t{at[i] == '\n'} << i;
      tabs |= uint64_t{at[i] == '\t'} << i;
    }
#endif
  }

  uint64_t visible = 0;    // 0x21 to 0x7e
  uint64_t spaces = 0;     // U+0020
  uint64_t line_ends = 0;  // U+000A
  uint64_t tabs = 0;       // U+0009
};

}  // namespace penstock
