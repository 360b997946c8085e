// Time, so that tests can make their own.
#pragma once

#include <cstdint>
#include <stop_token>

namespace penstock {

// A monotonic clock.
//
// Threads: any number at a time.
class Clock {
 public:
  virtual ~Clock() = default;

  virtual int64_t NowNs() = 0;
  // Waits until `deadline_ns` of this clock. True once it has come; false
  // where `stop` was requested first.
  virtual bool WaitUntil(int64_t deadline_ns, std::stop_token stop) = 0;
};

// The machine's monotonic clock. Wakes within some 10 us of a deadline: it
// sleeps until 30 us before it and spins for the rest. Never destroyed.
Clock& SteadyClock();

}  // namespace penstock
