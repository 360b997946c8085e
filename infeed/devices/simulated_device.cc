#include "infeed/devices/simulated_device.h"

#include <algorithm>
#include <cmath>

namespace penstock {
namespace {

int64_t TransferNs(const SimulatedDeviceOptions& options, uint64_t bytes) {
  if (options.bytes_per_second <= 0) return options.transfer_ns;
  return options.transfer_ns + std::llround(static_cast<double>(bytes) * 1e9 /
                                            options.bytes_per_second);
}

}  // namespace

SimulatedDevice::SimulatedDevice(SimulatedDeviceOptions options)
    : options_(options) {}

HostMemory SimulatedDevice::host_memory() const {
  return HostMemory::kUntilBufferFreed;
}

StatusOr<Work> SimulatedDevice::Transfer(const CoreSlice& slice,
                                         int64_t now_ns) {
  const int64_t begin_ns = std::max(now_ns, link_free_ns_);
  link_free_ns_ = begin_ns + TransferNs(options_, slice.size_bytes());
  return Work{begin_ns, link_free_ns_};
}

int64_t SimulatedDevice::CompileNs(const CoreSlice& slice) const {
  return options_.compile_ns;
}

StatusOr<Work> SimulatedDevice::Execute(const CoreSlice& slice,
                                        int64_t now_ns) {
  const auto tokens = static_cast<double>(
      slice.rows() * slice.contract().lengths[slice.shape()]);
  return Work{now_ns, now_ns + options_.step_ns +
                          std::llround(tokens * options_.step_ns_per_token)};
}

}  // namespace penstock
