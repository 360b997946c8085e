// One host of a simulated run with all that it owns.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "infeed/device.h"
#include "infeed/devices/core_timeline.h"
#include "infeed/devices/simulated_device.h"
#include "infeed/infeed.h"
#include "infeed/queues/infeed_queue.h"
#include "infeed/training/live_run.h"

namespace penstock {

struct TrainingHost {
  uint32_t number = 0;
  std::vector<std::unique_ptr<Device>> owned;  // simulated ones
  std::vector<Device*> devices;
  std::unique_ptr<Infeed> infeed;
  std::vector<CoreTimeline> timelines;

  Device* AddSimulated(const SimulatedDeviceOptions& options) {
    owned.push_back(std::make_unique<SimulatedDevice>(options));
    return owned.back().get();
  }
  LiveHost Look() const {
    LiveHost live = {.host = number,
                     .records_read = infeed->records_read(),
                     .pipeline = infeed->profile()};
    for (size_t i = 0; i < devices.size(); ++i) {
      live.queues.push_back({.device = infeed->devices()[i],
                             .batches = infeed->queue(i).depth()});
    }
    return live;
  }
};

}  // namespace penstock
