#include "infeed/devices/device_memory.h"

#include <fmt/format.h>

#include "infeed/sharding/slice_cuts.h"
#include "infeed/sharding/tiled_layout.h"

namespace penstock {

std::string DeviceMemory::Describe() const {
  if (memory_bytes == 0 && batch_bytes == dense_bytes) return {};
  std::string text = fmt::format(
      "a core's memory: {} batches of {} bytes, {:.2f} of what they hold",
      batches, batch_bytes,
      dense_bytes == 0 ? 1.0
                       : static_cast<double>(batch_bytes) /
                             static_cast<double>(dense_bytes));
  if (memory_bytes > 0) {
    text +=
        fmt::format(", and {} of the model, of {}", model_bytes, memory_bytes);
  }
  return text + "\n";
}

StatusOr<DeviceMemory> PlanDeviceMemory(
    const Mesh& mesh, const Contract& contract, const Topology& topology,
    std::string_view axes, const std::vector<TensorSharding>& shardings,
    size_t depth, const SimulatedDeviceOptions& device) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto cuts,
                            CutSlices(mesh, contract, topology, axes, shardings,
                                      {mesh.devices()[0]}));
  DeviceMemory memory = {.batches = depth + 1,
                         .model_bytes = device.model_bytes,
                         .memory_bytes = device.memory_bytes};
  for (size_t shape = 0; shape < contract.shapes(); ++shape) {
    const uint64_t bytes =
        TiledBytes(contract, *cuts[0], shape, device.tile_generation);
    if (bytes < memory.batch_bytes) continue;
    memory.batch_bytes = bytes;
    memory.dense_bytes = cuts[0]->size_bytes[shape];
  }
  const uint64_t all = memory.model_bytes + memory.batches * memory.batch_bytes;
  if (memory.memory_bytes == 0 || all <= memory.memory_bytes) return memory;
  return ResourceExhaustedError(fmt::format(
      "a core has {} bytes of memory, but {} batches in its queue, that of the "
      "step and the model take {}: {} for each batch, tiles included, and {} "
      "for the model; use a smaller depth, smaller batches or more cores",
      memory.memory_bytes, depth, all, memory.batch_bytes, memory.model_bytes));
}

}  // namespace penstock
