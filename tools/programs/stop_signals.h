// SIGINT and SIGTERM as a stop token, so that a program ends in order.
#pragma once

#include <signal.h>

#include <atomic>
#include <memory>
#include <stop_token>
#include <thread>

#include "formats/files/status_or.h"

namespace penstock {

// While one exists, the first SIGINT or SIGTERM requests the stop and the
// second ends the program as without it. Make it before any other thread:
// threads started later inherit the blocked signals.
//
// Threads: one object at a time.
class StopSignals {
 public:
  // Errors:  kResourceExhausted where there is no thread to wait for them.
  static StatusOr<std::unique_ptr<StopSignals>> Create();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  std::stop_token token() const { return stop_.get_token(); }
  // The signal that requested a stop, also when no object is left; 0 as long as
  // none did.
  static int caught() { return caught_; }

 private:
  StopSignals() = default;
  void Wait(const std::stop_token& over);

  inline static std::atomic<int> caught_ = 0;

  sigset_t before_;
  std::stop_source stop_;
  std::jthread waiter_;
};

}  // namespace penstock
