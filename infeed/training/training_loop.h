// The devices of a run taking steps.
#pragma once

#include <span>
#include <thread>
#include <vector>

#include "infeed/devices/coordinator.h"
#include "infeed/training/core_loop.h"
#include "infeed/training/training_host.h"

namespace penstock {

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
