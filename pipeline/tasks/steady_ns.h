// The time that only moves on, for what waits and what is measured.
#pragma once

#include <chrono>
#include <cstdint>

namespace penstock {

// Since some moment of this machine's.
inline int64_t SteadyNs() {
  return std::chrono::nanoseconds(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace penstock
