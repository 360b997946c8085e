// What all devices of a run share: the step they are in, and the first error.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/devices/compile_cache.h"
#include "infeed/devices/told_arrival.h"
#include "infeed/queues/clock.h"
#include "pipeline/contract.h"
#include "pipeline/group.h"

namespace penstock {

// A device that could begin the step from `ready_ns` on, which may lie ahead:
// its batch is still on the way, or the step before is not over.
struct Arrival {
  uint32_t device = 0;
  uint64_t step = 0;
  size_t shape = 0;
  int64_t ready_ns = 0;
  int64_t compile_ns = 0;  // what compiling for this shape would take
};

// What all devices do together next.
struct StepPlan {
  int64_t begin_ns = 0;    // the last device is ready
  int64_t compile_ns = 0;  // before the step itself; 0 where the shape is known
  bool last = false;       // the run stops after this step
  bool end = false;        // there is no step: all have stopped
};

// What a device that was told of waits for.
struct Meeting {
  uint64_t number = 0;
  bool all_told = false;  // it is the last of this process
};

struct CoordinatorOptions {
  // Stops after so many steps, at least one.
  std::optional<uint64_t> max_steps = std::nullopt;
  CompileCacheOptions compile = {};
  // Where hosts are processes: all of them; this process has the devices of
  // its host. Each step is a round of the group, in which times are told from
  // an instant that all were in, and so differ by what a round takes.
  // Borrowed.
  Group* group = nullptr;
  // Borrowed. Null is SteadyClock().
  Clock* clock = nullptr;
};

// Lets all devices of all hosts begin each step together. The first error ends
// every wait of the run. Devices that disagree about the step, its shape or the
// end of data are an error that names the hosts, not a hang.
//
// Threads: Tell*() of each device of this process from one, then Await() there;
//          one may have many devices. The rest from any.
// Limits:  where hosts are processes each must have a device.
class Coordinator {
 public:
  // `host_of_device` has an element for each device. `contract` is borrowed.
  Coordinator(std::vector<uint32_t> host_of_device, const Contract& contract,
              CoordinatorOptions options = {});

  // A device comes to this step; never blocks.
  Meeting Tell(const Arrival& arrival);
  // The same for a device that stops, with the time it is free.
  Meeting TellEnd(uint32_t device, int64_t free_ns);
  // The same for a device whose data was cancelled: pipelines that agree with
  // each other all end when one fails, and the run must end with the error of
  // that one. So the others are waited for, until it comes or no device can
  // bring it.
  Meeting TellCancelled(uint32_t device, const Status& status);

  // Waits until every device has come to the step and it begins, compiled; or
  // until all have stopped, which is at StepPlan::begin_ns. `meeting` is that
  // of the last of the devices that this thread told of. Where that was the
  // last of all, this thread waits for the begin; the others are woken once.
  // Errors:  the first error of the run.
  StatusOr<StepPlan> Await(const Meeting& meeting);

  // Ends the run with an error; the first counts. Never blocks.
  void Fail(const Status& status);
  // Stops after the step that begins next.
  void RequestStop();

  // OK unless the run failed.
  Status status() const;
  // Requested by the first error.
  std::stop_token stop_token() const { return stop_.get_token(); }

  // Steps begun so far.
  uint64_t steps() const;
  // For each device the nanoseconds that others waited for it, as the last one
  // ready. The sum is the peer wait of all ledgers.
  std::vector<int64_t> waited_for_ns() const;
  std::vector<CompileEvent> compiles() const;
  // When, here, the instant was from which processes tell each other times.
  int64_t origin_ns() const;
  // Who waits for whom, a line for each device.
  std::string Describe() const;

 private:
  Meeting Arrive(ToldArrival arrival);
  // These have the mutex held by `lock`, but while they wait. All devices of
  // this process were told of: waits for the begin of what they come to.
  StatusOr<StepPlan> Begin(std::unique_lock<std::mutex>& lock);
  // Errors:  the first error of the run.
  Status WaitUntil(std::unique_lock<std::mutex>& lock, int64_t deadline_ns);
  // Asks the other processes; whether one of all was asked to stop.
  StatusOr<bool> MeetOthers(std::unique_lock<std::mutex>& lock);

  bool IsHere(size_t device) const {
    return options_.group == nullptr ||
           host_of_device_[device] == options_.group->host();
  }
  Status CheckAgreement() const;
  StatusOr<StepPlan> Agree();
  std::string Name(size_t device) const;

  const std::vector<uint32_t> host_of_device_;
  const Contract& contract_;
  const CoordinatorOptions options_;
  Clock& clock_;
  const size_t devices_here_;
  std::stop_source stop_;

  mutable std::mutex mutex_;
  std::condition_variable released_;
  // Guarded by mutex_.
  std::vector<ToldArrival> places_;
  std::optional<int64_t> origin_ns_;  // here, of the times that are told
  size_t arrived_ = 0;
  uint64_t meetings_ = 0;  // that are over
  uint64_t steps_ = 0;
  bool stop_soon_ = false;
  bool meeting_ = false;  // other processes are waited for
  StepPlan plan_;
  Status status_;
  CompileCache compile_cache_;
  std::vector<int64_t> waited_for_ns_;
};

}  // namespace penstock
