// How long something takes, drawn anew each time but the same for the same
// seed.
#pragma once

#include <cstdint>

#include "infeed/virtual/virtual_run.h"

namespace penstock {

// Which draw this is: keys that differ anywhere give independent times.
struct DrawKey {
  uint64_t seed = 0;
  uint64_t stage = 0;
  uint64_t who = 0;
  uint64_t step = 0;
};

// A function of its arguments alone, in any order of calls.
int64_t DrawNs(const DelayLaw& law, const DrawKey& key);

}  // namespace penstock
