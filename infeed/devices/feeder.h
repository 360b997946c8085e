// Brings the batches of a source to the queues of all devices.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "formats/files/status.h"
#include "infeed/device.h"
#include "infeed/queues/batch_source.h"
#include "infeed/queues/clock.h"
#include "infeed/queues/infeed_queue.h"
#include "infeed/sharding/core_slice.h"

namespace penstock {

// Everything is borrowed but the contract.
struct Feeder {
  BatchSource& source;
  std::shared_ptr<const Contract> contract;
  // [queues]
  const std::vector<SlicePlace>& places;
  const std::vector<std::unique_ptr<InfeedQueue>>& queues;
  // [queues], or empty where batches stay in host memory.
  const std::vector<Device*>& devices;
  Clock& clock;
  std::function<void(const PipelineCounts&)> counted;  // up to each batch

  // Until the data ends, which is OK, or something fails.
  Status Run() const;

 private:
  Status Bring(const std::shared_ptr<const Batch>& batch) const;
};

}  // namespace penstock
