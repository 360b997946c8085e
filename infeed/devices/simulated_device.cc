#include "infeed/devices/simulated_device.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "infeed/devices/own_slice.h"
#include "infeed/sharding/tiled_layout.h"

namespace penstock {
namespace {

int64_t TransferNs(const SimulatedDeviceOptions& options, uint64_t bytes) {
  if (options.bytes_per_second <= 0) return options.transfer_ns;
  return options.transfer_ns + std::llround(static_cast<double>(bytes) * 1e9 /
                                            options.bytes_per_second);
}

// What goes over the link, tiles and all.
uint64_t LinkBytes(const CoreSlice& slice, int tile_generation) {
  if (tile_generation == 0) return slice.size_bytes();
  uint64_t bytes = 0;
  for (size_t t = 0; t < slice.contract().tensors.size(); ++t) {
    const TensorView view = slice.tensor(t);
    bytes +=
        TiledBytes(view.spec->type,
                   view.padded_shape.empty() ? view.shape : view.padded_shape,
                   tile_generation);
  }
  return bytes;
}

class SimulatedBatch final : public DeviceBatch {
 public:
  SimulatedBatch(CoreSlice slice, DeviceEvent host_free, int64_t ready_ns)
      : DeviceBatch(std::move(host_free), DeviceEvent::At(ready_ns)),
        ready_ns_(ready_ns),
        slice_(std::in_place, std::move(slice)) {}
  ~SimulatedBatch() override {
    slice_.reset();
    host_free().Set(ready_ns_);
  }

  Status Read(size_t t, std::span<std::byte> out) override {
    slice_->tensor(t).PackTo(out);
    return OkStatus();
  }
  StatusOr<CoreSlice> ReadBack(const CoreSlice& of) override { return *slice_; }

  const CoreSlice& slice() const { return *slice_; }

 private:
  const int64_t ready_ns_;
  std::optional<CoreSlice> slice_;  // until it is destroyed
};

}  // namespace

SimulatedDevice::SimulatedDevice(SimulatedDeviceOptions options)
    : options_(options) {}

StatusOr<std::shared_ptr<DeviceBatch>> SimulatedDevice::Transfer(
    CoreSlice slice, int64_t now_ns) {
  const int64_t begin_ns = std::max(now_ns, link_free_ns_);
  link_free_ns_ =
      begin_ns +
      TransferNs(options_, LinkBytes(slice, options_.tile_generation));
  DeviceEvent host_free = DeviceEvent::Unset();
  if (options_.host_memory != HostMemory::kUntilBufferFreed) {
    const bool at_once = options_.host_memory == HostMemory::kUntilCallReturns;
    host_free = DeviceEvent::At(at_once ? now_ns : link_free_ns_);
    PENSTOCK_ASSIGN_OR_RETURN(
        slice, OwnSlice(slice, [&](size_t t, std::span<std::byte> out) {
          slice.tensor(t).PackTo(out);
          return OkStatus();
        }));
  }
  return std::make_shared<SimulatedBatch>(std::move(slice), host_free,
                                          link_free_ns_);
}

StatusOr<int64_t> SimulatedDevice::Compile(const CoreSlice& slice) {
  return options_.compile_ns;
}

StatusOr<DeviceEvent> SimulatedDevice::Execute(DeviceBatch& batch,
                                               int64_t now_ns) {
  const CoreSlice& slice = static_cast<SimulatedBatch&>(batch).slice();
  const auto tokens = static_cast<double>(
      slice.rows() * slice.contract().lengths[slice.shape()]);
  return DeviceEvent::At(now_ns + options_.step_ns +
                         std::llround(tokens * options_.step_ns_per_token));
}

}  // namespace penstock
