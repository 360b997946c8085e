// How fast things come that another thread takes.
#pragma once

#include <cstdint>

#include "pipeline/tasks/steady_ns.h"

namespace penstock {

// Waking a thread takes some ten microseconds from those that work. Where
// things come at thousands a second it had better be woken for several at once;
// where they take longer it is to have each as soon as it is there.
//
// Threads: one at a time.
class Pace {
 public:
  static constexpr int64_t kQuickNs = 500'000;

  explicit Pace(int64_t quick_ns = kQuickNs) : quick_ns_(quick_ns) {}

  // One is there.
  void Count() {
    const int64_t now_ns = SteadyNs();
    quick_ = now_ns - last_ns_ < quick_ns_;
    last_ns_ = now_ns;
  }
  // Whether the last one came so soon behind the one before.
  bool quick() const { return quick_; }

 private:
  const int64_t quick_ns_;
  int64_t last_ns_ = 0;
  bool quick_ = false;
};

}  // namespace penstock
