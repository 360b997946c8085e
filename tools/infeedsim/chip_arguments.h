// Which chip infeedsim's simulated devices are of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "formats/files/status_or.h"
#include "infeed/devices/simulated_device.h"
#include "tools/arguments/argument_group.h"
#include "tools/infeedsim/time_arguments.h"

namespace penstock {

struct ChipArguments {
  std::string chip;
  std::string file;
  double flops_per_token = 0;
  double efficiency = 0.4;
  uint64_t model_bytes = 0;

  // This must outlive `group`.
  void AddTo(ArgumentGroup& group);
  // The chip, of which it gives the device its tiles and memory, and `times`
  // the link and the steps that are not given; nullopt without one.
  // Errors:  kInvalidArgument where the chip lacks what is needed.
  StatusOr<std::optional<ChipFacts>> Apply(SimulatedDeviceOptions& device,
                                           TimeArguments& times) const;
};

}  // namespace penstock
