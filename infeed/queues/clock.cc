#include "infeed/queues/clock.h"

#include <sys/prctl.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace penstock {
namespace {

// Long enough to hide most of a sleep's wake-up delay, short enough to take
// little from the threads that feed devices.
constexpr int64_t kSpinNs = 30'000;

// The system may wake a thread as late as its slack says, by default 50 us.
void WakeInTime() {
  thread_local const int told = prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
  static_cast<void>(told);
}

class Steady : public Clock {
 public:
  int64_t NowNs() override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  bool WaitUntil(int64_t deadline_ns, std::stop_token stop) override {
    const std::chrono::steady_clock::time_point sleep_end(
        std::chrono::nanoseconds(deadline_ns - kSpinNs));
    if (NowNs() < deadline_ns - kSpinNs) {
      WakeInTime();
      std::mutex mutex;
      std::condition_variable_any never_notified;
      std::unique_lock lock(mutex);
      never_notified.wait_until(lock, stop, sleep_end, [] { return false; });
    }
    while (NowNs() < deadline_ns) {
      if (stop.stop_requested()) return false;
    }
    return true;
  }
};

}  // namespace

Clock& SteadyClock() {
  static Steady& clock = *new Steady;
  return clock;
}

}  // namespace penstock
