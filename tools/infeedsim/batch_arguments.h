// How infeedsim makes batches of rows.
#pragma once

#include "tools/arguments/command.h"

namespace penstock {

struct SimulationArguments;  // tools/infeedsim/simulation_arguments.h

// The group "Batches". `arguments` must outlive `command`.
void AddBatches(Command& command, SimulationArguments& arguments);

}  // namespace penstock
