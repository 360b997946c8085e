// How infeedsim makes batches of rows.
#pragma once

#include <optional>
#include <string_view>

#include "pipeline/arranging.h"
#include "tools/arguments/command.h"

namespace penstock {

struct SimulationArguments;  // tools/infeedsim/simulation_arguments.h

// "targets=64,128", or nothing for what is none. Lengths may be in any order.
std::optional<BucketFeature> ReadBucketsWith(std::string_view text);

// The group "Batches". `arguments` must outlive `command`.
void AddBatches(Command& command, SimulationArguments& arguments);

}  // namespace penstock
