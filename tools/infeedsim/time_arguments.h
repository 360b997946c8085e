// How long infeedsim's devices take for what they do.
#pragma once

#include <optional>

#include "infeed/devices/simulated_device.h"
#include "infeed/virtual/virtual_simulation.h"
#include "tools/arguments/argument_group.h"

namespace penstock {

struct TimeArguments {
  // What is not given stays as it is.
  std::optional<double> step_ms;
  std::optional<double> step_ns_per_token;
  std::optional<double> compile_ms;
  std::optional<double> gigabytes_per_second;
  OutfeedOptions outfeed;
  double drain_ms = 0;

  // This must outlive `group`.
  void AddTo(ArgumentGroup& group);
  void Apply(SimulatedDeviceOptions& device) const;
  void Apply(Calibration& calibration) const;
};

}  // namespace penstock
