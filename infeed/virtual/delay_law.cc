#include "infeed/virtual/delay_law.h"

#include <cmath>

namespace penstock {
namespace {

// The finaliser of SplitMix64 over a running state.
uint64_t MixIn(uint64_t state, uint64_t word) {
  uint64_t z = state + word + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

int64_t DrawNs(const DelayLaw& law, const DrawKey& key) {
  if (law.exponential_mean_ns <= 0) return law.fixed_ns;
  uint64_t bits = MixIn(key.seed, key.stage);
  bits = MixIn(MixIn(bits, key.who), key.step);
  // In [0, 1): all of a double's digits.
  const double uniform = static_cast<double>(bits >> 11) * 0x1p-53;
  return law.fixed_ns +
         std::llround(-std::log1p(-uniform) *
                      static_cast<double>(law.exponential_mean_ns));
}

}  // namespace penstock
