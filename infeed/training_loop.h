// One host's devices taking steps.
#pragma once

#include <cstdint>
#include <vector>

#include "infeed/batch_placement.h"
#include "infeed/clock.h"
#include "infeed/coordinator.h"
#include "infeed/core_timeline.h"
#include "infeed/device.h"
#include "infeed/infeed.h"
#include "infeed/run_log.h"

namespace penstock {

// What all hosts of a run share. Everything is borrowed.
struct TrainingContext {
  const BatchPlacement& placement;
  Coordinator& coordinator;
  RunLog& log;
  Clock& clock;
};

// Runs a thread for each of the host's devices, step by step with all others,
// until the data ends, the coordinator stops the run or it fails. `devices` and
// `timelines` have one for each device of the infeed, in order.
//
// Errors:  none of its own: they go to the coordinator.
void RunHost(Infeed& infeed, const std::vector<Device*>& devices,
             const TrainingContext& context,
             std::vector<CoreTimeline>& timelines);

}  // namespace penstock
