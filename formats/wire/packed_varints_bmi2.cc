#include "formats/wire/packed_varints_bmi2.h"

#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace penstock {

#if defined(__x86_64__)

#define PENSTOCK_BMI2_VARINTS [[gnu::target("avx2,bmi,bmi2,lzcnt,popcnt")]]

namespace {

constexpr ptrdiff_t kBytesAtOnce = 64;

const bool kHasQuickPext =
    __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
    !__builtin_cpu_is("amdfam17h") && !__builtin_cpu_is("bdver4");

// A bit for each of 32 bytes, set where it is high.
PENSTOCK_BMI2_VARINTS inline uint32_t HighIn32(const char* at) {
  return static_cast<uint32_t>(_mm256_movemask_epi8(
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at))));
}

// The same of 64: set where a value goes on.
PENSTOCK_BMI2_VARINTS inline uint64_t GoesOn(const char* at) {
  return HighIn32(at) | static_cast<uint64_t>(HighIn32(at + 32)) << 32;
}

}  // namespace

bool HasBmi2Varints() { return kHasQuickPext; }

PENSTOCK_BMI2_VARINTS size_t CountVarintsBmi2(std::string_view chunk) {
  const char* at = chunk.data();
  const char* const end = at + chunk.size();
  size_t count = 0;
  for (; end - at >= kBytesAtOnce; at += kBytesAtOnce) {
    count += std::popcount(~GoesOn(at));
  }
  for (; at != end; ++at) count += *at >= 0;
  return count;
}

PENSTOCK_BMI2_VARINTS const char* DecodeShortVarintsBmi2(std::string_view chunk,
                                                         int64_t*& out) {
  const char* at = chunk.data();
  const char* const end = at + chunk.size();
  // Eight bytes are loaded at once, from any of a window.
  while (end - at >= kBytesAtOnce + 8) {
    const uint64_t goes_on = GoesOn(at);
    const bool has_long =
        (goes_on & goes_on >> 1 & goes_on >> 2 & goes_on >> 3) != 0;
    if (has_long) return at;
    uint64_t ends = ~goes_on;
    uint64_t begin = 0;  // of the value that comes next, in the window
    // In pairs, as eight bytes hold two.
    for (int left = std::popcount(ends); left > 1; left -= 2) {
      const uint64_t next = std::countr_zero(ends) + 1;
      ends &= ends - 1;
      const uint64_t after = std::countr_zero(ends) + 1;
      ends &= ends - 1;
      uint64_t word;
      std::memcpy(&word, at + begin, sizeof(word));
      const uint64_t bits = _pext_u64(word, 0x7f7f7f7f7f7f7f7f);
      const uint64_t first_bits = 7 * (next - begin);
      out[0] = static_cast<int64_t>(_bzhi_u64(bits, first_bits));
      out[1] = static_cast<int64_t>(
          _bzhi_u64(bits >> first_bits, 7 * (after - next)));
      out += 2;
      begin = after;
    }
    at += begin;
  }
  return at;
}

#else

bool HasBmi2Varints() { return false; }
size_t CountVarintsBmi2(std::string_view) { return 0; }
const char* DecodeShortVarintsBmi2(std::string_view chunk, int64_t*&) {
  return chunk.data();
}

#endif

}  // namespace penstock
