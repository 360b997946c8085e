// Functions for the widest instructions that are used here.
#pragma once

#if defined(__x86_64__)

// GCC 12 takes the intrinsics' own placeholders for a mistake (PR 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#include <immintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>

// Of a function that avx512::IsThere() is asked for first.
#define PENSTOCK_AVX512                                       \
  [[gnu::target(                                              \
      "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi," \
      "bmi2,popcnt")]]

// The same of avx512::HasNumbers(): what is there of 32 and 64 bits, also on
// processors that have nothing for bytes.
#define PENSTOCK_AVX512_NUMBERS                                     \
  [[gnu::target(                                                    \
      "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi,bmi2,lzcnt," \
      "popcnt")]]

namespace penstock::avx512 {

inline bool HasNumbers() {
  return __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2");
}
inline bool IsThere() {
  return __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vbmi") &&
         __builtin_cpu_supports("avx512vbmi2") &&
         __builtin_cpu_supports("bmi2");
}

// Which bytes are among the `size` from `first` on, and which are `c`.
PENSTOCK_AVX512 inline uint64_t Among(__m512i in, char first, char size) {
  return _mm512_cmplt_epu8_mask(_mm512_sub_epi8(in, _mm512_set1_epi8(first)),
                                _mm512_set1_epi8(size));
}
PENSTOCK_AVX512 inline uint64_t Equal(__m512i in, char c) {
  return _mm512_cmpeq_epi8_mask(in, _mm512_set1_epi8(c));
}

// Each byte is its place.
PENSTOCK_AVX512 inline __m512i Places() {
  alignas(64) static constexpr auto kPlaces = [] {
    std::array<uint8_t, 64> places{};
    for (size_t i = 0; i < places.size(); ++i) places[i] = i;
    return places;
  }();
  return _mm512_load_si512(kPlaces.data());
}

// Of each byte the bits 3 to 5.
PENSTOCK_AVX512 inline __m512i Bits3To5(__m512i bytes) {
  return _mm512_and_si512(_mm512_srli_epi16(bytes, 3), _mm512_set1_epi8(7));
}
// The bit of a table's byte that the lowest three bits number.
PENSTOCK_AVX512 inline __m512i BitOf(__m512i bytes) {
  const __m512i powers =
      _mm512_set1_epi64(static_cast<int64_t>(0x8040201008040201));
  return _mm512_shuffle_epi8(powers,
                             _mm512_and_si512(bytes, _mm512_set1_epi8(7)));
}

}  // namespace penstock::avx512

#endif
