#include "formats/wire/packed_varints_sse4.h"

#include <algorithm>
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
constexpr size_t kVector = 16;    // bytes

const bool kHasSse4 = __builtin_cpu_supports("sse4.1") &&
                      __builtin_cpu_supports("bmi") &&
                      __builtin_cpu_supports("popcnt");

// A bit for each byte of a vector, set where a value goes on.
PENSTOCK_SSE4_VARINTS inline uint32_t MoreInVector(const char* at) {
  return _mm_movemask_epi8(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
}

// A bit for each byte of a block, set where a value ends.
PENSTOCK_SSE4_VARINTS inline uint64_t EndsInBlock(const char* at) {
  uint64_t more = 0;
  for (int i = 0; i < kBlock; i += kVector) {
    more |= uint64_t{MoreInVector(at + i)} << i;
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
PENSTOCK_SSE4_VARINTS inline size_t BehindFirst(uint64_t ends) {
  return std::countr_zero(ends) + 1;
}
PENSTOCK_SSE4_VARINTS inline const char* Behind(const char* block,
                                                uint64_t ends) {
  return block + BehindFirst(ends);
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

// As EndsInBlock(), of kVector to kBlock bytes: none behind them is read. As
// many vectors whatever the size, which nobody can predict.
PENSTOCK_SSE4_VARINTS inline uint64_t EndsIn(const char* at, size_t size) {
  uint64_t more = 0;
  for (size_t i = 0; i < kBlock; i += kVector) {
    const size_t begin = std::min(i, size - kVector);
    more |= uint64_t{MoreInVector(at + begin)} << begin;
  }
  return ~more & (~uint64_t{0} >> (kBlock - size));
}

// The lane of the value at `place` of 8 bytes or more: zeros are behind them.
PENSTOCK_SSE4_VARINTS inline int LoadWithin(std::string_view bytes,
                                            size_t place) {
  uint64_t loaded;
  const size_t from = std::min(place, bytes.size() - sizeof(loaded));
  std::memcpy(&loaded, bytes.data() + from, sizeof(loaded));
  const size_t half =
      4 * std::min(place - from, sizeof(loaded));  // of the bits
  return static_cast<int>(loaded >> half >> half);
}

// The values that end at `ends`, the first of which is at `at`. False where one
// is longer than a lane, and `at` is no further than that.
template <typename T>
PENSTOCK_SSE4_VARINTS inline bool DecodeWithin(std::string_view bytes,
                                               uint64_t ends, size_t& at,
                                               T*& out) {
  while (ends != 0) {
    const uint64_t second = ends & (ends - 1);
    const uint64_t third = second & (second - 1);
    const uint64_t fourth = third & (third - 1);
    const __m128i lanes = _mm_setr_epi32(LoadWithin(bytes, at),
                                         LoadWithin(bytes, BehindFirst(ends)),
                                         LoadWithin(bytes, BehindFirst(second)),
                                         LoadWithin(bytes, BehindFirst(third)));
    if (!DecodeFour(lanes, out)) return false;
    if (fourth == 0) {
      out += std::popcount(ends);
      at = std::bit_width(ends);
      return true;
    }
    out += 4;
    at = BehindFirst(fourth);
    ends = fourth & (fourth - 1);
  }
  return true;
}

// Fewer bytes than a vector, and zeros behind them: in no more steps than
// there are powers of two.
PENSTOCK_SSE4_VARINTS inline __m128i LoadFew(const char* at, size_t size) {
  uint64_t low = 0;
  uint64_t high = 0;
  if (size >= 8) {
    std::memcpy(&low, at, 8);
    std::memcpy(&high, at + size - 8, 8);
    const size_t half = 4 * (kVector - size);  // of what is in `low`, too
    high = high >> half >> half;
  } else if (size >= 4) {
    uint32_t first;
    uint32_t last;
    std::memcpy(&first, at, 4);
    std::memcpy(&last, at + size - 4, 4);
    low = first | uint64_t{last} << 8 * (size - 4);
  } else {
    for (size_t i = 0; i < size; ++i) {
      low |= uint64_t{static_cast<uint8_t>(at[i])} << 8 * i;
    }
  }
  return _mm_set_epi64x(static_cast<int64_t>(high), static_cast<int64_t>(low));
}

// Of fewer bytes than a block and a load, of which short rows consist: none
// behind them is read. False where a value is wrong.
template <typename T>
PENSTOCK_SSE4_VARINTS inline bool DecodeRest(size_t size, const char*& at,
                                             T*& out) {
  alignas(kVector) char few[kVector];
  std::string_view bytes(at, std::min<size_t>(size, kBlock));
  if (size < kVector) {
    _mm_store_si128(reinterpret_cast<__m128i*>(few), LoadFew(at, size));
    bytes = {few, kVector};
  }
  uint64_t ends = EndsIn(bytes.data(), bytes.size());
  if (size < kVector) ends &= (uint64_t{1} << size) - 1;
  // Where a value ends here, a load of it does not go past the last byte.
  const uint64_t inside = ~uint64_t{0} >> (kBlock - bytes.size() + kLoad - 1);
  uint64_t fours = ends & inside;
  const char* next = bytes.data();
  const bool right = DecodeBlock(fours, next, out);
  size_t place = next - bytes.data();
  if (right) DecodeWithin(bytes, fours | (ends & ~inside), place, out);
  at += place;
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
