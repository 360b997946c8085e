// Whether what queues keep on a device fits beside the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/devices/simulated_device.h"
#include "infeed/sharding/mesh.h"
#include "infeed/sharding/partition_spec.h"
#include "pipeline/contract.h"
#include "pipeline/topology.h"

namespace penstock {

// Of one device, which are all alike, and of the shape that takes most.
struct DeviceMemory {
  size_t batches = 0;        // in the queue, and of the step
  uint64_t batch_bytes = 0;  // of each, tiles and all
  uint64_t dense_bytes = 0;  // without what pads tiles
  uint64_t model_bytes = 0;
  uint64_t memory_bytes = 0;  // 0 is any

  // For people: "" where nothing is known of memory or tiles.
  std::string Describe() const;
};

// `topology` is that of PlaceBatch() for a host that has the mesh's first
// device.
// Errors:  those of CutSlices(); kResourceExhausted where it does not fit.
StatusOr<DeviceMemory> PlanDeviceMemory(
    const Mesh& mesh, const Contract& contract, const Topology& topology,
    std::string_view axes, const std::vector<TensorSharding>& shardings,
    size_t depth, const SimulatedDeviceOptions& device);

}  // namespace penstock
