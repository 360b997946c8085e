#include "formats/wire/packed_varints_sse4.h"

#include <bit>
#include <cstring>

#include "formats/wire/one_varint.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace penstock {

#if defined(__x86_64__)

#define PENSTOCK_SSE4_VARINTS [[gnu::target("sse4.1,bmi,popcnt")]]

namespace {

constexpr ptrdiff_t kBlock = 64;  // bytes whose ends are found together
constexpr ptrdiff_t kLoad = 4;    // bytes of a value that are loaded

const bool kHasSse4 = __builtin_cpu_supports("sse4.1") &&
                      __builtin_cpu_supports("bmi") &&
                      __builtin_cpu_supports("popcnt");

// A bit for each byte of a block, set where a value ends.
PENSTOCK_SSE4_VARINTS inline uint64_t EndsInBlock(const char* at) {
  uint64_t more = 0;
  for (int i = 0; i < 4; ++i) {
    const __m128i bytes =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * i));
    more |= uint64_t{static_cast<uint32_t>(_mm_movemask_epi8(bytes))}
            << (16 * i);
  }
  return ~more;
}

PENSTOCK_SSE4_VARINTS inline __m128i LoadTwo(const char* one, const char* two) {
  int first;
  int second;
  std::memcpy(&first, one, kLoad);
  std::memcpy(&second, two, kLoad);
  return _mm_insert_epi32(_mm_cvtsi32_si128(first), second, 1);
}

PENSTOCK_SSE4_VARINTS inline void StoreFour(__m128i values, int32_t* out) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), values);
}

PENSTOCK_SSE4_VARINTS inline void StoreFour(__m128i values, int64_t* out) {
  auto* const to = reinterpret_cast<__m128i*>(out);
  _mm_storeu_si128(to, _mm_cvtepu32_epi64(values));
  _mm_storeu_si128(to + 1, _mm_cvtepu32_epi64(_mm_srli_si128(values, 8)));
}

// Four values, each of which begins a lane of `bytes`; false where one does not
// end in its lane.
template <typename T>
PENSTOCK_SSE4_VARINTS inline bool DecodeFour(__m128i bytes, T* out) {
  const __m128i high = _mm_set1_epi32(static_cast<int>(0x80808080));
  const __m128i ends = _mm_andnot_si128(bytes, high);
  const __m128i none = _mm_cmpeq_epi32(ends, _mm_setzero_si128());
  if (!_mm_testz_si128(none, none)) return false;
  // Up to the first end of each lane, without high bits.
  const __m128i own = _mm_andnot_si128(
      high, _mm_xor_si128(ends, _mm_add_epi32(ends, _mm_set1_epi32(-1))));
  // 7-bit groups -> 14 bits -> 28 bits.
  const __m128i pairs = _mm_maddubs_epi16(_mm_set1_epi16(1 | 128 << 8),
                                          _mm_and_si128(bytes, own));
  StoreFour(_mm_madd_epi16(pairs, _mm_set1_epi32(1 | 16384 << 16)), out);
  return true;
}

// Where a value begins in a block, behind the first of `ends`.
PENSTOCK_SSE4_VARINTS inline const char* Behind(const char* block,
                                                uint64_t ends) {
  return block + std::countr_zero(ends) + 1;
}

// The lanes of the value at `at` and of those behind the first three `ends`.
PENSTOCK_SSE4_VARINTS inline __m128i LoadFour(const char* block, const char* at,
                                              uint64_t ends) {
  const uint64_t second = ends & (ends - 1);
  const uint64_t third = second & (second - 1);
  return _mm_unpacklo_epi64(
      LoadTwo(at, Behind(block, ends)),
      LoadTwo(Behind(block, second), Behind(block, third)));
}

// Moves `at` and `out` behind the fours, and the long values between them, of a
// block that begins where `at` does; takes their ends from `ends`. False, and
// `at` is there, where a value is wrong.
template <typename T>
PENSTOCK_SSE4_VARINTS inline bool DecodeBlock(uint64_t& ends, const char*& at,
                                              T*& out) {
  const char* const block = at;
  for (;;) {
    const uint64_t second = ends & (ends - 1);
    const uint64_t third = second & (second - 1);
    const uint64_t fourth = third & (third - 1);
    if (fourth == 0) return true;  // the next block begins here
    if (DecodeFour(LoadFour(block, at, ends), out)) [[likely]] {
      out += 4;
      at = Behind(block, fourth);
      ends = fourth & (fourth - 1);
      continue;
    }
    const char* const behind = Behind(block, ends);
    if (DecodeOneVarint(at, behind, out++) == nullptr) return false;
    at = behind;
    ends = second;
  }
}

// Of fewer bytes than a block and a load, of which short rows consist: the same
// in memory where more may be read, and what is less than four values, too.
template <typename T>
PENSTOCK_SSE4_VARINTS inline bool DecodeRest(size_t size, const char*& at,
                                             T*& out) {
  char bytes[kBlock + 2 * kLoad] = {};
  std::memcpy(bytes, at, size);
  uint64_t ends = EndsInBlock(bytes);
  if (size < kBlock) ends &= (uint64_t{1} << size) - 1;
  const char* from = bytes;
  const bool right = DecodeBlock(ends, from, out);
  if (right && ends != 0 && DecodeFour(LoadFour(bytes, from, ends), out)) {
    out += std::popcount(ends);
    from = bytes + std::bit_width(ends);
  }
  at += from - bytes;
  return right;
}

// Moves `out` behind what was decoded.
template <typename T>
PENSTOCK_SSE4_VARINTS const char* DecodeFours(std::string_view chunk, T*& out) {
  const char* at = chunk.data();  // the value that comes next
  const char* const end = at + chunk.size();
  while (end - at >= kBlock + kLoad) {
    const char* const block = at;
    uint64_t ends = EndsInBlock(block);
    if (ends == ~uint64_t{0}) {
      for (int i = 0; i < kBlock; ++i) out[i] = at[i];
      at += kBlock;
      out += kBlock;
      continue;
    }
    if (!DecodeBlock(ends, at, out)) return at;
    if (at == block) {  // long values
      const char* const next = DecodeOneVarint(at, end, out++);
      if (next == nullptr) return at;
      at = next;
    }
  }
  if (!DecodeRest(static_cast<size_t>(end - at), at, out)) return at;
  while (at != end) {
    const char* const next = DecodeOneVarint(at, end, out++);
    if (next == nullptr) return at;
    at = next;
  }
  return nullptr;
}

}  // namespace

bool HasSse4Varints() { return kHasSse4; }

const char* DecodeVarintsSse4(std::string_view chunk, int64_t* out) {
  return DecodeFours(chunk, out);
}

ptrdiff_t DecodeVarints32Sse4(std::string_view chunk, int32_t* out) {
  const int32_t* const begin = out;
  if (DecodeFours(chunk, out) != nullptr) return -1;
  return out - begin;
}

#else

bool HasSse4Varints() { return false; }
const char* DecodeVarintsSse4(std::string_view, int64_t*) { return nullptr; }
ptrdiff_t DecodeVarints32Sse4(std::string_view, int32_t*) { return -1; }

#endif

}  // namespace penstock
