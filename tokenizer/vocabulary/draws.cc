#include "tokenizer/vocabulary/draws.h"

#include <fmt/format.h>

#include <cmath>

namespace penstock {

Status CheckBest(size_t count, size_t least) {
  constexpr size_t kMost = 512;
  if (count >= least && count <= kMost) return OkStatus();
  return InvalidArgumentError(
      fmt::format("the {} best ways to segment a text; choose {} to {}", count,
                  least, kMost));
}

StatusOr<double> ScoreFactor(const Sampling& sampling) {
  constexpr double kDefault = 0.1;
  const double alpha = sampling.alpha.value_or(kDefault);
  if (std::isfinite(alpha)) return alpha;
  return InvalidArgumentError(fmt::format("alpha is {}; give a number", alpha));
}

}  // namespace penstock
