// How infeedsim is told of devices and of who takes what.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/files/status.h"
#include "infeed/training/simulation.h"
#include "tools/arguments/argument_group.h"

namespace penstock {

struct MeshArguments {
  int64_t cores = 8;
  std::string mesh;
  std::string mesh_devices;
  std::string device_hosts;
  std::string rows;
  std::vector<std::string> shardings;

  // This must outlive `group`.
  void AddTo(ArgumentGroup& group);
  // Errors:  kInvalidArgument with the option and the part that is wrong.
  Status Apply(SimulationOptions& options) const;
};

}  // namespace penstock
