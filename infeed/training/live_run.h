// What a run is doing now, for whoever looks at it from outside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "infeed/accounts/run_log.h"
#include "pipeline/profile.h"

namespace penstock {

struct LiveQueue {
  uint32_t device = 0;
  size_t batches = 0;
};

struct LiveHost {
  uint32_t host = 0;
  uint64_t records_read = 0;  // in sequence
  std::vector<LiveQueue> queues = {};
  std::optional<PipelineProfile> pipeline = {};
};

// Of the hosts of one process.
struct LiveFigures {
  bool running = false;
  uint64_t steps = 0;   // begun
  RowCounts rows = {};  // that devices took
  size_t depth = 0;     // of each queue
  std::vector<LiveHost> hosts = {};
};

// Where a run says how to look at it, and others do.
//
// Threads: any number at a time.
class LiveRun {
 public:
  // Until End(), which waits for those who look.
  void Begin(std::function<LiveFigures()> look) {
    const std::lock_guard lock(mutex_);
    look_ = std::move(look);
  }
  void End() {
    const std::lock_guard lock(mutex_);
    if (look_) last_ = look_();
    look_ = nullptr;
    last_.running = false;
  }
  // Those of the end where it is over; none before it begins.
  LiveFigures Look() {
    const std::lock_guard lock(mutex_);
    return look_ ? look_() : last_;
  }

 private:
  std::mutex mutex_;
  // Guarded by mutex_.
  std::function<LiveFigures()> look_;
  LiveFigures last_;
};

}  // namespace penstock
