// A TPU core made of deadlines: real time passes, nothing is computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "infeed/device.h"

namespace penstock {

// What a device sends back, such as losses, into a bounded queue of its own; a
// thread of its host takes it out of those of all its devices, one after the
// other. A device whose queue is full waits.
//
// Source:  XLA's outfeed; in tensorflow/tensor2tensor issue 1205 devices spend
//          69 % of their time in it.
struct OutfeedOptions {
  uint64_t every = 0;    // steps; 0 is never
  size_t depth = 2;      // of the queue, at least 1
  int64_t drain_ns = 0;  // that the host takes for one device's
};

struct SimulatedDeviceOptions {
  // A step takes step_ns, and step_ns_per_token for each token of the core's
  // slice, padding included (rows times bucket length).
  int64_t step_ns = 10'000'000;
  double step_ns_per_token = 0;
  // Compiling for a new shape. Real ones take seconds to minutes.
  int64_t compile_ns = 1'000'000'000;
  // A transfer takes transfer_ns and its bytes at bytes_per_second, one after
  // the other on each core's link. 16 GB/s is the PCIe link of a TPU v4 chip
  // (JAX scaling book); 0.19 ms is what then remains of the one public
  // measurement, 3.98 GB/s for 1 MB (pytorch/xla issue 8525). A bandwidth of 0
  // or less is a link without limit.
  int64_t transfer_ns = 190'000;
  double bytes_per_second = 16e9;
  // The first two make it copy. The third costs nothing.
  HostMemory host_memory = HostMemory::kUntilBufferFreed;
  // Arrays are laid out as XLA does on TPUs of this generation, so that tiles
  // pad them, on the link, too; 0 lays them out densely.
  int tile_generation = 0;
  // Of a device, 0 is any; a run whose batches do not fit beside the model does
  // not begin.
  uint64_t memory_bytes = 0;
  uint64_t model_bytes = 0;
  OutfeedOptions outfeed = {};
};

// A number, and who says so.
struct ChipFact {
  double value = 0;
  std::string source;
};

// What is published of a kind of TPU; absent what nobody says. All of a chip.
struct ChipFacts {
  std::string name;  // "v5e"
  std::optional<ChipFact> generation;
  std::optional<ChipFact> devices;           // that a mesh has of it
  std::optional<ChipFact> flops_per_second;  // peak, bfloat16
  std::optional<ChipFact> hbm_bytes;
  std::optional<ChipFact> hbm_bytes_per_second;
  std::optional<ChipFact> host_bytes_per_second;  // from the host, each way
  std::optional<ChipFact> chips_per_host;
};

// Of TPU v2 to TPU7x.
// Errors:  kNotFound with the names that there are.
StatusOr<ChipFacts> FindChip(std::string_view name);
// Of a JSON file of the same form as Penstock's own table
// (docs/virtual-time.md). Errors:  also kInvalidArgument with file, chip and
// field.
StatusOr<ChipFacts> ReadChip(FileSystem& files, const std::string& path,
                             std::string_view name);
// A line for each fact with its source.
std::string DescribeChip(const ChipFacts& chip);
// One of its numbers, divided among its devices.
// Errors:  kInvalidArgument where it is absent, with what to do instead.
StatusOr<double> OfDevice(const ChipFacts& chip,
                          std::optional<ChipFact> ChipFacts::*fact,
                          std::string_view instead);

// Source:  openxla's infeed is one item a step and core, in order.
class SimulatedDevice : public Device {
 public:
  explicit SimulatedDevice(SimulatedDeviceOptions options = {});

  HostMemory host_memory() const override { return options_.host_memory; }
  StatusOr<std::shared_ptr<DeviceBatch>> Transfer(CoreSlice slice,
                                                  int64_t now_ns) override;
  StatusOr<int64_t> Compile(const CoreSlice& slice) override;
  StatusOr<DeviceEvent> Execute(DeviceBatch& batch, int64_t now_ns) override;

 private:
  const SimulatedDeviceOptions options_;
  int64_t link_free_ns_ = 0;  // of the thread that transfers
};

}  // namespace penstock
