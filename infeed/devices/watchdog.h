// Ends a run that stands still, and says why.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

#include "formats/files/status_or.h"
#include "infeed/queues/clock.h"

namespace penstock {

struct WatchdogOptions {
  // A run that makes no progress for this long is stuck. Must be above the
  // longest step and compile. 300 s is what JAX waits for a missing host.
  int64_t limit_ns = 300'000'000'000;
};

// Calls `on_stall` once, on its own thread, when `progress` has not changed for
// the limit; it is looked at four times in that time. Time in which the whole
// process was stopped counts for one look at most.
class Watchdog {
 public:
  // Errors:  kResourceExhausted where there is no thread for it.
  static StatusOr<Watchdog> Start(Clock& clock,
                                  std::function<uint64_t()> progress,
                                  std::function<void()> on_stall,
                                  WatchdogOptions options = {});
  Watchdog(Watchdog&&) = default;
  // Ends the watch at once.
  ~Watchdog() = default;

 private:
  explicit Watchdog(std::jthread watch) : watch_(std::move(watch)) {}

  std::jthread watch_;
};

}  // namespace penstock
