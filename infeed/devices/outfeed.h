// What the devices of one host send back, and the thread that takes it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/devices/simulated_device.h"
#include "infeed/queues/clock.h"

namespace penstock {

// Times are those of the options and not of when threads wake, so that a thread
// that wakes late delays nothing.
//
// Threads: Send() from one for each device.
class Outfeed {
 public:
  // `clock` is borrowed.
  // Errors:  kResourceExhausted where there is no thread to be had.
  static StatusOr<std::unique_ptr<Outfeed>> Start(size_t devices,
                                                  OutfeedOptions options,
                                                  Clock& clock);
  // Leaves what was not taken.
  ~Outfeed();
  Outfeed(const Outfeed&) = delete;
  Outfeed& operator=(const Outfeed&) = delete;

  // Device number `device` of the host has sent something at `now_ns`. Waits
  // while its queue is full; gives the time from which it is free.
  // Errors:  kCancelled once `stop` is requested.
  StatusOr<int64_t> Send(size_t device, int64_t now_ns, std::stop_token stop);

 private:
  struct Queue {
    std::deque<int64_t> sent_ns;    // what waits, or is being taken
    std::vector<int64_t> taken_ns;  // when what had each place before was
    uint64_t sent = 0;
    uint64_t taken = 0;
  };

  Outfeed(size_t devices, OutfeedOptions options, Clock& clock)
      : options_(options),
        clock_(clock),
        queues_(devices, {.taken_ns = std::vector<int64_t>(options.depth)}) {}
  void Drain(const std::stop_token& stop);
  // That which waits longest; null where nothing does. With the mutex held.
  Queue* Oldest();

  const OutfeedOptions options_;
  Clock& clock_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Queue> queues_;  // guarded by mutex_

  std::jthread drain_;
};

}  // namespace penstock
