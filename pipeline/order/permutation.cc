#include "pipeline/order/permutation.h"

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

// The loops have no branch, so they vectorise, with what their caller may use.
[[gnu::always_inline]] inline void Permutation::EncipherAll(
    Lanes& lanes) const {
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

[[gnu::target("avx2")]] void Permutation::EncipherAllAvx2(Lanes& lanes) const {
  EncipherAll(lanes);
}
#else
constexpr bool kHasAvx2 = false;
void Permutation::EncipherAllAvx2(Lanes& lanes) const { EncipherAll(lanes); }
#endif

void Permutation::Fill(uint64_t first, std::span<uint64_t> out) const {
  // Fewer are done one by one in less time than lanes of which few are used.
  constexpr size_t kFew = 4;
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
    kHasAvx2 ? EncipherAllAvx2(lanes) : EncipherAll(lanes);
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
