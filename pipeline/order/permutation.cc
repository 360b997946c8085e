#include "pipeline/order/permutation.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cmath>

#include "pipeline/order/seed.h"

namespace penstock {
namespace {

uint64_t CeilSqrt(uint64_t n) {
  auto root = static_cast<uint64_t>(std::sqrt(static_cast<double>(n)));
  // The double may be off by one either way.
  while (root > 0 && (root - 1) * (root - 1) >= n) --root;
  while (root * root < n) ++root;
  return root;
}

}  // namespace

Permutation::Permutation(uint64_t n, uint64_t key)
    : n_(n), a_(CeilSqrt(n)), b_((n + a_ - 1) / a_) {
  assert(n >= 1 && n <= uint64_t{1} << 63);
  for (int r = 0; r < kRounds; ++r) {
    keys_[r] = Mix64(key + static_cast<uint64_t>(r + 1) * 0x9e3779b97f4a7c15);
  }
}

// The rounds of one position wait for each other; those of its neighbours do
// not, so they are done side by side.
struct Permutation::Lanes {
  static constexpr size_t kCount = 16;
  std::array<uint64_t, kCount> left;
  std::array<uint64_t, kCount> right;
};

void Permutation::EncipherAll(Lanes& lanes) const {
  auto& [left, right] = lanes;
  for (int r = 0; r < kRounds; r += 2) {
    for (size_t i = 0; i < Lanes::kCount; ++i) {
      left[i] += Round(right[i], keys_[r], a_);
      left[i] -= left[i] >= a_ ? a_ : 0;
    }
    for (size_t i = 0; i < Lanes::kCount; ++i) {
      right[i] += Round(left[i], keys_[r + 1], b_);
      right[i] -= right[i] >= b_ ? b_ : 0;
    }
  }
}

#if defined(__x86_64__)
const bool kHasAvx2 = __builtin_cpu_supports("avx2");

// Round() of four halves at a time, each in the lower half of 64 bits; what
// stands above it does not count. Products of 64 bits are made of those of 32
// that do, and shuffles take the place of shifts, which wait for the units that
// multiply. Limits are 2^31 at most.
struct Permutation::RoundAvx2 {
  [[gnu::target("avx2")]] RoundAvx2(uint64_t key, uint64_t limit)
      : key(_mm256_set1_epi64x(static_cast<int64_t>(key))),
        key_high(_mm256_set1_epi64x(static_cast<int64_t>(key >> 32))),
        key_product(_mm256_set1_epi64x(static_cast<int64_t>(key * kFirst))),
        limit(_mm256_set1_epi64x(static_cast<int64_t>(limit))) {}

  [[gnu::target("avx2"), gnu::always_inline]] static __m256i Upper(__m256i x) {
    return _mm256_shuffle_epi32(x, 0b11110101);
  }

  // The sum of `to` and what `from` comes to, below the limit.
  [[gnu::target("avx2"), gnu::always_inline]] __m256i Add(__m256i from,
                                                          __m256i to) const {
    const __m256i first_low = _mm256_set1_epi64x(kFirst & 0xffffffff);
    const __m256i first_high = _mm256_set1_epi64x(kFirst >> 32);
    const __m256i second_low = _mm256_set1_epi64x(kSecond & 0xffffffff);
    const __m256i second_high = _mm256_set1_epi64x(kSecond >> 32);
    const __m256i low_to_upper =
        _mm256_set_epi64x(0x0b0a0908'80808080, 0x03020100'80808080,
                          0x0b0a0908'80808080, 0x03020100'80808080);
    const __m256i low = _mm256_mul_epu32(from, first_low);
    const __m256i high =
        _mm256_shuffle_epi8(_mm256_mul_epu32(from, first_high), low_to_upper);
    const __m256i x =
        _mm256_add_epi64(_mm256_add_epi64(low, high), key_product);
    const __m256i x_high = Upper(x);
    const __m256i y = _mm256_xor_si256(_mm256_xor_si256(x, x_high), key);
    const __m256i y_high = _mm256_xor_si256(x_high, key_high);
    const __m256i z = _mm256_add_epi32(
        Upper(_mm256_mul_epu32(y, second_low)),
        _mm256_add_epi32(_mm256_mul_epu32(y, second_high),
                         _mm256_mul_epu32(y_high, second_low)));
    const __m256i sum = _mm256_add_epi32(to, Upper(_mm256_mul_epu32(z, limit)));
    // What is less than nothing is more than any sum.
    return _mm256_min_epu32(sum, _mm256_sub_epi32(sum, limit));
  }

  __m256i key, key_high, key_product, limit;
};

[[gnu::target("avx2")]] void Permutation::EncipherAllAvx2(Lanes& lanes) const {
  constexpr size_t kVectors = Lanes::kCount / 4;
  auto* const lefts = reinterpret_cast<__m256i*>(lanes.left.data());
  auto* const rights = reinterpret_cast<__m256i*>(lanes.right.data());
  __m256i left[kVectors], right[kVectors];
  for (size_t i = 0; i < kVectors; ++i) {
    left[i] = _mm256_loadu_si256(lefts + i);
    right[i] = _mm256_loadu_si256(rights + i);
  }
  for (int r = 0; r < kRounds; r += 2) {
    const RoundAvx2 of_left(keys_[r], a_), of_right(keys_[r + 1], b_);
    for (size_t i = 0; i < kVectors; ++i) {
      left[i] = of_left.Add(right[i], left[i]);
    }
    for (size_t i = 0; i < kVectors; ++i) {
      right[i] = of_right.Add(left[i], right[i]);
    }
  }
  const __m256i low = _mm256_set1_epi64x(0xffffffff);
  for (size_t i = 0; i < kVectors; ++i) {
    _mm256_storeu_si256(lefts + i, _mm256_and_si256(left[i], low));
    _mm256_storeu_si256(rights + i, _mm256_and_si256(right[i], low));
  }
}
#else
constexpr bool kHasAvx2 = false;
void Permutation::EncipherAllAvx2(Lanes& lanes) const { EncipherAll(lanes); }
#endif

void Permutation::Fill(uint64_t first, std::span<uint64_t> out) const {
  // Fewer are done one by one in less time than lanes of which few are used.
  constexpr size_t kFew = 4;
  const bool use_avx2 = kHasAvx2 && a_ <= uint64_t{1} << 31;
  size_t done = 0;
  uint64_t row = first / b_;
  uint64_t column = first - row * b_;
  while (out.size() - done >= kFew) {
    const size_t count = std::min(Lanes::kCount, out.size() - done);
    // Lanes behind the last position come to nothing.
    Lanes lanes;
    for (size_t i = 0; i < Lanes::kCount; ++i) {
      lanes.left[i] = row;
      lanes.right[i] = column;
      if (++column == b_) {
        column = 0;
        ++row;
      }
    }
    use_avx2 ? EncipherAllAvx2(lanes) : EncipherAll(lanes);
    for (size_t i = 0; i < count; ++i) {
      uint64_t x = lanes.left[i] * b_ + lanes.right[i];
      while (x >= n_) x = Encipher(x);
      out[done + i] = x;
    }
    done += count;
  }
  for (; done < out.size(); ++done) out[done] = (*this)(first + done);
}

}  // namespace penstock
