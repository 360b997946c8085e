#include "infeed/reports/step_bins.h"

#include <algorithm>

namespace penstock {

std::vector<StepBin> BinSteps(std::span<const StepSpan> steps, int64_t begin_ns,
                              int64_t wall_ns, size_t bins) {
  std::vector<StepBin> out(wall_ns > 0 ? bins : 0);
  const double bin_ns =
      static_cast<double>(wall_ns) / static_cast<double>(bins);
  const auto add = [&](Phase phase, int64_t from_ns, int64_t to_ns) {
    // In bins from the beginning.
    const double from = static_cast<double>(from_ns - begin_ns) / bin_ns;
    const double to = static_cast<double>(to_ns - begin_ns) / bin_ns;
    for (auto b = static_cast<size_t>(std::max(from, 0.0));
         b < out.size() && static_cast<double>(b) < to; ++b) {
      const auto left = static_cast<double>(b);
      out[b].parts[static_cast<size_t>(phase)] +=
          std::min(to, left + 1) - std::max(from, left);
    }
  };
  size_t next = 0;  // bin without a first step
  for (size_t s = 0; s < steps.size(); ++s) {
    const StepSpan& step = steps[s];
    const int64_t compute_ns = step.begin_ns + step.compile_ns;
    add(Phase::kOutfeed, step.free_ns - step.outfeed_ns, step.free_ns);
    add(Phase::kWait, step.free_ns, step.begin_ns);
    add(Phase::kCompile, step.begin_ns, compute_ns);
    add(Phase::kCompute, compute_ns, step.end_ns);
    const double end = static_cast<double>(step.end_ns - begin_ns) / bin_ns;
    for (; next < out.size() && static_cast<double>(next) < end; ++next) {
      out[next].first_step = s;
    }
  }
  for (; next < out.size(); ++next) out[next].first_step = steps.size();
  return out;
}

}  // namespace penstock
