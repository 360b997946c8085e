// One device of a PJRT plugin.
#pragma once

#include <pjrt_c_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/device.h"
#include "infeed/pjrt/pjrt_batch.h"
#include "infeed/pjrt/pjrt_client.h"
#include "infeed/pjrt/pjrt_devices.h"
#include "infeed/queues/clock.h"

namespace penstock {

// See PjrtOptions.
struct PjrtDeviceOptions {
  HostMemory host_memory;
  bool check_steps;
  Clock& clock;
};

class PjrtDevice final : public Device {
 public:
  PjrtDevice(std::shared_ptr<PjrtClient> client, PJRT_Device* device,
             PjrtDeviceOptions options);
  ~PjrtDevice() override;

  HostMemory host_memory() const override { return options_.host_memory; }
  StatusOr<std::shared_ptr<DeviceBatch>> Transfer(CoreSlice slice,
                                                  int64_t now_ns) override;
  StatusOr<int64_t> Compile(const CoreSlice& slice) override;
  // Runs what was compiled last, which must be for this batch's shape.
  StatusOr<DeviceEvent> Execute(DeviceBatch& batch, int64_t now_ns) override;
  void Drain() override;

 private:
  struct Compiled {
    PJRT_LoadedExecutable* executable = nullptr;  // the client's
    std::vector<size_t> arguments;
  };

  // An event of when `output` has come back and was compared; takes it.
  StatusOr<DeviceEvent> SumOf(PJRT_Buffer* output, const PjrtBatch& batch);

  const std::shared_ptr<PjrtClient> client_;
  PJRT_Device* const device_;
  const PjrtDeviceOptions options_;
  const std::shared_ptr<UnderWay> under_way_ = std::make_shared<UnderWay>();
  Compiled compiled_;  // of the thread that takes steps
};

}  // namespace penstock
