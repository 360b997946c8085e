// A TPU core made of deadlines: real time passes, nothing is computed.
#pragma once

#include <cstdint>
#include <memory>

#include "infeed/device.h"

namespace penstock {

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
};

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
