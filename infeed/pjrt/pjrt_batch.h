// A slice on a device of a PJRT plugin, a buffer for each of its tensors.
#pragma once

#include <pjrt_c_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/device.h"
#include "infeed/pjrt/pjrt_client.h"
#include "infeed/queues/clock.h"
#include "infeed/sharding/core_slice.h"

namespace penstock {

// What the callbacks of a transfer need; goes with the last of them.
struct PjrtTransfer;

class PjrtBatch final : public DeviceBatch {
 public:
  // Asks for the transfer of all tensors. `under_way` has it until it is ready.
  // Errors:  the plugin's, of the tensor that it does not take; it lets go of
  //          the slice as host_free() would say.
  static StatusOr<std::shared_ptr<PjrtBatch>> Begin(
      std::shared_ptr<PjrtClient> client, PJRT_Device* device,
      HostMemory host_memory, CoreSlice slice, Clock& clock,
      std::shared_ptr<UnderWay> under_way);
  ~PjrtBatch() override;

  Status Read(size_t t, std::span<std::byte> out) override;

  // [tensors of the contract]
  const std::vector<PJRT_Buffer*>& buffers() const { return buffers_; }

  // What a step must give, where that was looked at.
  std::optional<uint64_t> expected_sum;
  uint64_t step = 0;

 private:
  PjrtBatch(std::shared_ptr<PjrtClient> client, const PjrtTransfer& transfer);

  Status Ask(PJRT_Device* device, HostMemory host_memory,
             const TensorView& view,
             const std::shared_ptr<PjrtTransfer>& transfer);

  const std::shared_ptr<PjrtClient> client_;
  std::vector<PJRT_Buffer*> buffers_;
  std::vector<size_t> dimensions_;  // of each
};

}  // namespace penstock
