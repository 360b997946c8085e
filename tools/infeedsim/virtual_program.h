// What infeedsim does where time is virtual.
#pragma once

#include "formats/files/status.h"
#include "pipeline/dataset.h"
#include "tools/infeedsim/simulation_arguments.h"

namespace penstock {

// Walks the plan and prints the report.
// Errors:  those of SimulateVirtually() and ReadCalibration();
//          kInvalidArgument for what only a real run does.
Status PrintVirtualRun(const Dataset& dataset,
                       const SimulationArguments& arguments);

}  // namespace penstock
