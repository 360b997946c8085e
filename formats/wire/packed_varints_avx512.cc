#include "formats/wire/packed_varints_avx512.h"

#include <array>
#include <bit>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// GCC 12 takes the intrinsics' own placeholders for a mistake (PR 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace penstock {

#if defined(__x86_64__)

#define PENSTOCK_AVX512_VARINTS                                             \
  [[gnu::target(                                                            \
      "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,bmi,bmi2," \
      "lzcnt,popcnt")]]

namespace {

constexpr ptrdiff_t kWindow = 64;  // bytes looked at together
constexpr int kGroup = 16;         // values put together at once

const bool kSupported =
    __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
    __builtin_cpu_supports("avx512vbmi") &&
    __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi2");

// The first `count` of 64 lanes.
PENSTOCK_AVX512_VARINTS inline uint64_t First(ptrdiff_t count) {
  return _bzhi_u64(~uint64_t{0}, static_cast<unsigned>(count));
}

PENSTOCK_AVX512_VARINTS inline __m512i Iota() {
  alignas(64) static constexpr auto kBytes = [] {
    std::array<uint8_t, 64> bytes{};
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = i;
    return bytes;
  }();
  return _mm512_load_si512(kBytes.data());
}

// A value of any size that is known to end.
template <typename T>
bool DecodeEnded(const char* at, const char* end, T* out) {
  if (end - at > 10) return false;
  uint64_t value = 0;
  for (int shift = 0; at != end; ++at, shift += 7) {
    value |= static_cast<uint64_t>(*at & 0x7f) << shift;
  }
  *out = static_cast<T>(value);
  return *out == static_cast<int64_t>(value);
}

// 16 values of up to four bytes. `begins` and `more` have a byte for each:
// where it begins in `window`, and how many bytes follow its first.
PENSTOCK_AVX512_VARINTS inline __m512i Gather(__m512i window, __m128i begins,
                                              __m128i more) {
  // Each lane takes the four bytes from where its value begins ...
  const __m512i four_times = _mm512_broadcast_i32x4(
      _mm_setr_epi32(0, 0x04040404, 0x08080808, 0x0c0c0c0c));
  const __m512i places = _mm512_add_epi8(
      _mm512_shuffle_epi8(_mm512_cvtepu8_epi32(begins), four_times),
      _mm512_set1_epi32(0x03020100));
  const __m512i bytes = _mm512_permutexvar_epi8(places, window);
  // ... and keeps those that belong to it, without their high bits.
  const __m512i foreign_bits = _mm512_sub_epi32(
      _mm512_set1_epi32(24), _mm512_slli_epi32(_mm512_cvtepu8_epi32(more), 3));
  const __m512i own =
      _mm512_srlv_epi32(_mm512_set1_epi32(0x7f7f7f7f), foreign_bits);
  // 7-bit groups -> 14 bits -> 28 bits.
  const __m512i pairs = _mm512_maddubs_epi16(_mm512_set1_epi16(1 | 128 << 8),
                                             _mm512_and_si512(bytes, own));
  return _mm512_madd_epi16(pairs, _mm512_set1_epi32(1 | 16384 << 16));
}

// Stores the first `count` of 16 values.
PENSTOCK_AVX512_VARINTS inline void Store(__m512i values, int count,
                                          int64_t* out) {
  const __m512i low = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(values));
  const __m512i high =
      _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(values, 1));
  if (count >= kGroup) {
    _mm512_storeu_si512(out, low);
    _mm512_storeu_si512(out + 8, high);
    return;
  }
  const auto lanes = static_cast<uint32_t>(First(count));
  _mm512_mask_storeu_epi64(out, lanes & 0xff, low);
  _mm512_mask_storeu_epi64(out + 8, lanes >> 8, high);
}

PENSTOCK_AVX512_VARINTS inline void Store(__m512i values, int count,
                                          int32_t* out) {
  _mm512_mask_storeu_epi32(out, static_cast<__mmask16>(First(count)), values);
}

// The values that end in a window and take up to four bytes each.
template <typename T>
PENSTOCK_AVX512_VARINTS inline void StoreShort(__m512i window, __m512i begins,
                                               __m512i more, int count,
                                               T* out) {
  Store(Gather(window, _mm512_castsi512_si128(begins),
               _mm512_castsi512_si128(more)),
        count, out);
  if (count <= kGroup) return;
  Store(Gather(window, _mm512_extracti32x4_epi32(begins, 1),
               _mm512_extracti32x4_epi32(more, 1)),
        count - kGroup, out + kGroup);
  if (count <= 2 * kGroup) return;
  Store(Gather(window, _mm512_extracti32x4_epi32(begins, 2),
               _mm512_extracti32x4_epi32(more, 2)),
        count - 2 * kGroup, out + 2 * kGroup);
  if (count <= 3 * kGroup) return;
  Store(Gather(window, _mm512_extracti32x4_epi32(begins, 3),
               _mm512_extracti32x4_epi32(more, 3)),
        count - 3 * kGroup, out + 3 * kGroup);
}

// The same for values of any size: null, or the one that is too long for its
// form or for T.
template <typename T>
const char* StoreLong(const char* at, uint64_t ends, T* out) {
  const char* const window = at;
  for (; ends != 0; ends &= ends - 1) {
    const char* const next = window + std::countr_zero(ends) + 1;
    if (!DecodeEnded(at, next, out++)) return at;
    at = next;
  }
  return nullptr;
}

template <typename T>
struct Decoded {
  const char* bad = nullptr;  // where decoding ended, if not with the chunk
  T* end = nullptr;           // of the values
};

// By value: what it points to may be anything to the compiler, which would load
// a pointer in memory again behind each store.
template <typename T>
PENSTOCK_AVX512_VARINTS Decoded<T> DecodeWindows(std::string_view chunk,
                                                 T* out) {
  const char* at = chunk.data();
  const char* const end = at + chunk.size();
  while (at != end) {
    const uint64_t there = end - at < kWindow ? First(end - at) : ~uint64_t{0};
    const __m512i window = _mm512_maskz_loadu_epi8(there, at);
    const uint64_t ends =
        there & ~static_cast<uint64_t>(_mm512_movepi8_mask(window));
    if (ends == 0) return {at, out};
    const int count = std::popcount(ends);
    const __m512i begins = _mm512_maskz_compress_epi8(ends << 1 | 1, Iota());
    const __m512i more =
        _mm512_sub_epi8(_mm512_maskz_compress_epi8(ends, Iota()), begins);
    if (_mm512_mask_cmpgt_epu8_mask(First(count), more, _mm512_set1_epi8(3)) ==
        0) [[likely]] {
      StoreShort(window, begins, more, count, out);
    } else if (const char* bad = StoreLong(at, ends, out)) {
      return {bad, out};
    }
    out += count;
    at += kWindow - std::countl_zero(ends);
  }
  return {nullptr, out};
}

}  // namespace

bool HasAvx512Varints() { return kSupported; }

PENSTOCK_AVX512_VARINTS size_t CountVarintsAvx512(std::string_view chunk) {
  const char* at = chunk.data();
  const char* const end = at + chunk.size();
  size_t high = 0;
  for (; end - at >= kWindow; at += kWindow) {
    high += std::popcount(
        static_cast<uint64_t>(_mm512_movepi8_mask(_mm512_loadu_si512(at))));
  }
  high += std::popcount(static_cast<uint64_t>(
      _mm512_movepi8_mask(_mm512_maskz_loadu_epi8(First(end - at), at))));
  return chunk.size() - high;
}

const char* DecodeVarintsAvx512(std::string_view chunk, int64_t* out) {
  return DecodeWindows(chunk, out).bad;
}

ptrdiff_t DecodeVarints32Avx512(std::string_view chunk, int32_t* out) {
  const auto [bad, end] = DecodeWindows(chunk, out);
  if (bad != nullptr) return -1;
  return end - out;
}

#else

bool HasAvx512Varints() { return false; }
size_t CountVarintsAvx512(std::string_view) { return 0; }
const char* DecodeVarintsAvx512(std::string_view, int64_t*) { return nullptr; }
ptrdiff_t DecodeVarints32Avx512(std::string_view, int32_t*) { return -1; }

#endif

}  // namespace penstock
