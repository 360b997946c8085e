// Tells when somebody waits for a batch while nothing is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/devices/watchdog.h"
#include "infeed/queues/batch_source.h"
#include "infeed/queues/infeed_queue.h"
#include "infeed/sharding/core_slice.h"

namespace penstock {

class Group;  // pipeline/group.h

// A line for each queue with its depth and last step.
std::string DescribeQueues(
    const std::vector<SlicePlace>& places,
    const std::vector<std::unique_ptr<InfeedQueue>>& queues, size_t depth);

// Everything is borrowed.
struct WatchedInfeed {
  int64_t stall_ns;  // by the machine's clock
  Group* group;      // told how the queues fare; may be null
  BatchSource& source;
  const std::vector<std::unique_ptr<InfeedQueue>>& queues;
  std::function<std::string()> describe;
};

// Calls `on_stall` once, on a thread of its own, with kDeadlineExceeded that
// tells of all queues on all hosts. A consumer that takes its time, and a host
// that still reads, are not stuck.
//
// Errors:  kResourceExhausted where there is no thread for it.
StatusOr<Watchdog> WatchForStalls(WatchedInfeed watched,
                                  std::function<void(const Status&)> on_stall);

}  // namespace penstock
