// Something done again and again by a thread of its own.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "formats/files/start_thread.h"
#include "formats/files/status_or.h"

namespace penstock {

// Calls `work` every `period_ns`. Destroying it ends it at once.
class Ticker {
 public:
  // Errors:  kResourceExhausted where there is no thread for it.
  static StatusOr<Ticker> Start(int64_t period_ns, std::function<void()> work) {
    const std::chrono::nanoseconds period(std::max<int64_t>(period_ns, 1));
    PENSTOCK_ASSIGN_OR_RETURN(
        std::jthread thread,
        StartThread([period, work = std::move(work)](std::stop_token stop) {
          std::mutex mutex;
          std::condition_variable_any never_notified;
          std::unique_lock lock(mutex);
          while (true) {
            never_notified.wait_for(lock, stop, period, [] { return false; });
            if (stop.stop_requested()) return;
            work();
          }
        }));
    return Ticker(std::move(thread));
  }

 private:
  explicit Ticker(std::jthread thread) : thread_(std::move(thread)) {}

  std::jthread thread_;
};

}  // namespace penstock
