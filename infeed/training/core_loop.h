// One device of a training run taking steps.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "formats/files/status_or.h"
#include "infeed/accounts/run_log.h"
#include "infeed/devices/coordinator.h"
#include "infeed/devices/core_timeline.h"
#include "infeed/devices/outfeed.h"
#include "infeed/devices/simulated_device.h"
#include "infeed/queues/clock.h"
#include "infeed/queues/infeed_queue.h"
#include "infeed/sharding/batch_placement.h"
#include "infeed/training/checkpoint_saver.h"
#include "infeed/training/run_savers.h"

namespace penstock {

// What all hosts of a run share. Everything is borrowed.
struct TrainingContext {
  const BatchPlacement& placement;
  uint32_t first_device;  // of this process, which logs the steps
  Coordinator& coordinator;
  RunLog& log;
  Clock& clock;
  const OutfeedOptions& outfeed;
  const RunSavers& savers;
  // All that devices do is known in advance: they neither compute, nor send
  // back, nor save.
  bool only_times;
};

// Of one device of a host tells that host's saver; null of the others.
struct StepSaver {
  CheckpointSaver* saver = nullptr;
  const Topology& topology;
};

// Where a device sends something back; null where it never does.
struct StepOutfeed {
  Outfeed* outfeed = nullptr;
  size_t place = 0;  // of the device on its host
};

// Errors go to the coordinator.
//
// Threads: one.
class CoreLoop {
 public:
  // All but the last two must outlive it.
  CoreLoop(uint32_t number, InfeedQueue& queue, Device& device,
           const TrainingContext& context, CoreTimeline& timeline,
           StepSaver saver, StepOutfeed outfeed);

  // Waits so long at most until Tell() need not wait; whether it need not.
  bool AwaitNext(std::chrono::nanoseconds at_most);

  // Tells all others of the next batch, or that there is none. Goes ahead of
  // the device where times are known in advance: a step may be under way.
  Meeting Tell();

  // Begins what all have come to. First for all devices of a thread, so that
  // the hosts hear at once that there is room.
  void Begin(const StepPlan& plan);

  // And ends it.
  void End(const StepPlan& plan);

 private:
  void Keep(Status status);
  Status TellNext(Meeting& meeting);
  Status BeginStep(const StepPlan& plan);
  Status EndStep(const StepPlan& plan);
  Status CountSlice();
  Status SendBack(uint64_t step, int64_t end_ns);
  Status Save(const CoreSlice& slice, int64_t end_ns);
  StatusOr<int64_t> TimeOf(const DeviceEvent& event);
  StatusOr<int64_t> Await(const DeviceEvent& event);
  Status WaitUntil(int64_t deadline_ns);

  const uint32_t number_;
  InfeedQueue& queue_;
  Device& device_;
  const TrainingContext& context_;
  CoreTimeline& timeline_;
  const StepSaver saver_;
  const StepOutfeed outfeed_;
  const bool counts_;               // its rows are no copy of another device's
  std::optional<InfeedItem> next_;  // that all were told of
  std::optional<InfeedItem> item_;  // of the step, until the next begins
  int64_t free_ns_ = 0;             // before the one that all were told of
  int64_t begin_ns_ = 0;            // of the step
  std::optional<int64_t> end_ns_;   // of the last step
  bool stopped_ = false;            // the run does
  Status status_;
};

}  // namespace penstock
