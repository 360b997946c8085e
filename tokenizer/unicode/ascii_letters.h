// Which of the next bytes are ASCII letters.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <bit>
#include <cstddef>
#include <cstdint>

namespace penstock {

// Looks at kBytes bytes, all of which must be readable.
class AsciiLetters {
 public:
  static constexpr size_t kBytes = 16;

  explicit AsciiLetters(const char* at) {
#ifdef __SSE2__
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    small_ = InAlphabet(bytes, 'a');
    large_ = InAlphabet(bytes, 'A');
#else
    for (size_t i = 0; i < kBytes; ++i) {
      small_ |= uint32_t{at[i] >= 'a' && at[i] <= 'z'} << i;
      large_ |= uint32_t{at[i] >= 'A' && at[i] <= 'Z'} << i;
    }
#endif
  }

  // How many letters there are before the first byte that is none.
  size_t count() const { return std::countr_one(small_ | large_); }
  // The same of capitals, and of small letters behind the first `skipped`.
  size_t large_count() const { return std::countr_one(large_); }
  size_t small_count(size_t skipped) const {
    return std::countr_one(small_ >> skipped);
  }

 private:
#ifdef __SSE2__
  // A bit for each byte that is one of the 26 from `first` on.
  static uint32_t InAlphabet(__m128i bytes, char first) {
    const __m128i place = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
    const __m128i inside =
        _mm_cmpeq_epi8(_mm_min_epu8(place, _mm_set1_epi8(25)), place);
    return static_cast<uint32_t>(_mm_movemask_epi8(inside));
  }
#endif

  uint32_t small_ = 0;
  uint32_t large_ = 0;
};

}  // namespace penstock
