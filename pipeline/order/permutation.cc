#include "pipeline/order/permutation.h"

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

}  // namespace penstock
