// The devices of a run taking steps.
#pragma once

#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "infeed/accounts/run_log.h"
#include "infeed/devices/coordinator.h"
#include "infeed/devices/simulated_device.h"
#include "infeed/queues/clock.h"
#include "infeed/sharding/batch_placement.h"
#include "infeed/training/run_savers.h"
#include "infeed/training/training_host.h"

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

// Runs all devices of these hosts, step by step with those of other processes,
// until the data ends, the coordinator stops the run or it fails. Each device
// has a thread; those that are only times share threads, one for two cores, so
// that few have to meet.
//
// Errors:  none of its own: they go to the coordinator.
void RunDevices(std::span<TrainingHost> hosts, const TrainingContext& context);

// Hosts without devices make their part of every batch, of no rows, and so keep
// step with hosts that exchange lengths; on a thread each, until their infeed
// is cancelled.
std::vector<std::jthread> DrainHosts(std::span<TrainingHost> hosts,
                                     Coordinator& coordinator);

}  // namespace penstock
