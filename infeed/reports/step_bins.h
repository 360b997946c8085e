// A run's time cut into equal spans, and what the devices did in each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "infeed/accounts/step_times.h"

namespace penstock {

// What a pod does at an instant: its devices begin steps together.
enum class Phase { kOutfeed, kWait, kCompile, kCompute };
inline constexpr size_t kPhases = 4;

struct StepBin {
  uint64_t first_step = 0;  // that ends in it or later
  // Parts of the bin's time; what is left is before the first step or after the
  // last.
  std::array<double, kPhases> parts = {};
};

// Cuts [begin_ns, begin_ns + wall_ns) into `bins`. `steps` follow each other.
std::vector<StepBin> BinSteps(std::span<const StepSpan> steps, int64_t begin_ns,
                              int64_t wall_ns, size_t bins);

}  // namespace penstock
