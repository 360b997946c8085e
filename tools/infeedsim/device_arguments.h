// Which devices infeedsim feeds, where they are not simulated.
#pragma once

#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/device.h"
#include "infeed/pjrt/pjrt_devices.h"
#include "infeed/training/simulation.h"
#include "tools/arguments/argument_group.h"

namespace penstock {

struct DeviceArguments {
  std::string device;  // "pjrt:PATH", or empty for simulated ones
  HostMemory host_memory = HostMemory::kUntilTransferCompletes;
  std::vector<std::string> options;

  // This must outlive `group`.
  void AddTo(ArgumentGroup& group);
  // The devices, which the run borrows, and tells `simulation` of them; none
  // where they are simulated.
  // Errors:  those of OpenPjrt().
  StatusOr<PjrtDevices> Open(SimulationOptions& simulation) const;
};

}  // namespace penstock
