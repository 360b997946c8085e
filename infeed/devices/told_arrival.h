// What processes tell each other of devices that are ready for a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"

namespace penstock {

// A device that has come to a step, to the end, or brings no data.
struct ToldArrival {
  uint32_t device = 0;
  bool arrived = false;
  bool at_end = false;
  uint64_t step = 0;  // of the last arrival
  size_t shape = 0;
  int64_t ready_ns = 0;
  int64_t compile_ns = 0;
  Status status = OkStatus();  // kCancelled: it brings no data
};

struct ToldArrivals {
  bool stop_soon = false;  // the host was asked to stop
  std::vector<ToldArrival> arrivals;
};

std::string TellArrivals(const std::vector<ToldArrival>& arrivals,
                         bool stop_soon);
// Errors:  kInternal for what was not told by TellArrivals().
StatusOr<ToldArrivals> HearArrivals(std::string_view told);

}  // namespace penstock
