#include "pipeline/graph/noise_spans.h"

#include <algorithm>
#include <cmath>

namespace penstock {
namespace {

// Halves go to the even number, as in Python.
int64_t Round(double value) {
  return static_cast<int64_t>(std::nearbyint(value));
}

}  // namespace

NoiseCounts CountNoise(const SpanCorruption& options, int64_t length) {
  NoiseCounts counts;
  const int64_t ends = options.eos ? 1 : 0;
  if (length < 2) {
    // Nothing can be left out; one sentinel stands for all that stays.
    counts.inputs = length + ends;
    counts.targets = length + ends;
    return counts;
  }
  counts.noise = std::clamp<int64_t>(
      Round(static_cast<double>(length) * options.density), 1, length - 1);
  // As many spans stay, and each has a token.
  counts.spans = std::clamp<int64_t>(
      Round(static_cast<double>(counts.noise) / options.mean_length), 1,
      std::min(counts.noise, length - counts.noise));
  counts.inputs = length - counts.noise + counts.spans + ends;
  counts.targets = counts.noise + counts.spans + ends;
  return counts;
}

}  // namespace penstock
