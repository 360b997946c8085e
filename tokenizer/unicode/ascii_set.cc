#include "tokenizer/unicode/ascii_set.h"

#ifdef __SSE2__
#include <tmmintrin.h>
#endif

#include <bit>

namespace penstock {

size_t AsciiSet::EndOfRunOneByOne(const AsciiSet& set, std::string_view text,
                                  size_t at) {
  while (at < text.size() && set.Has(text[at])) ++at;
  return at;
}

#ifdef __SSE2__

[[gnu::target("ssse3")]] size_t AsciiSet::EndOfRunBySsse3(const AsciiSet& set,
                                                          std::string_view text,
                                                          size_t at) {
  constexpr size_t kStep = 16;  // bytes
  const __m128i by_low =
      _mm_load_si128(reinterpret_cast<const __m128i*>(set.rows_.data()));
  const __m128i by_high =
      _mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
  for (; at + kStep <= text.size(); at += kStep) {
    const __m128i bytes =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    const __m128i high =
        _mm_and_si128(_mm_srli_epi16(bytes, 4), _mm_set1_epi8(15));
    // A shuffle by a byte of 128 and more gives 0.
    const __m128i found = _mm_and_si128(_mm_shuffle_epi8(by_low, bytes),
                                        _mm_shuffle_epi8(by_high, high));
    const auto others = static_cast<uint32_t>(
        _mm_movemask_epi8(_mm_cmpeq_epi8(found, _mm_setzero_si128())));
    if (others != 0) return at + std::countr_zero(others);
  }
  return EndOfRunOneByOne(set, text, at);
}

const AsciiSet::EndOfRunFunction AsciiSet::end_of_run_ =
    __builtin_cpu_supports("ssse3") ? EndOfRunBySsse3 : EndOfRunOneByOne;

#else

const AsciiSet::EndOfRunFunction AsciiSet::end_of_run_ = EndOfRunOneByOne;

#endif

}  // namespace penstock
