// One host's devices taking steps.
#pragma once

#include <cstdint>
#include <vector>

#include "infeed/accounts/run_log.h"
#include "infeed/device.h"
#include "infeed/devices/coordinator.h"
#include "infeed/devices/core_timeline.h"
#include "infeed/devices/simulated_device.h"
#include "infeed/infeed.h"
#include "infeed/queues/clock.h"
#include "infeed/sharding/batch_placement.h"
#include "infeed/training/checkpoint_saver.h"

namespace penstock {

// What all hosts of a run share. Everything is borrowed.
struct TrainingContext {
  const BatchPlacement& placement;
  uint32_t first_device;  // of this process, which logs the steps
  Coordinator& coordinator;
  RunLog& log;
  Clock& clock;
  const OutfeedOptions& outfeed;
};

// Runs a thread for each of the host's devices, step by step with all others,
// until the data ends, the coordinator stops the run or it fails. `devices` and
// `timelines` have one for each device of the infeed, in order. `saver` is told
// of each step and may be null.
//
// Errors:  none of its own: they go to the coordinator.
void RunHost(Infeed& infeed, const std::vector<Device*>& devices,
             const TrainingContext& context,
             std::vector<CoreTimeline>& timelines, CheckpointSaver* saver);

}  // namespace penstock
