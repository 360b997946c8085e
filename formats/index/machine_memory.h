// How much memory this process may have files in.
#pragma once

#include <cstdint>

namespace penstock {

// That of the machine, or of the control group of a container where that is
// less.
uint64_t MachineMemoryBytes();

}  // namespace penstock
