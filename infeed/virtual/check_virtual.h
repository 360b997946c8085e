// What a run in virtual time may be told.
#pragma once

#include <cstdint>
#include <span>

#include "formats/files/status_or.h"
#include "infeed/virtual/virtual_run.h"

namespace penstock {

// Errors:  those of RunVirtual().
Status CheckVirtual(std::span<const VirtualStep> steps, uint64_t count,
                    const VirtualOptions& options);

}  // namespace penstock
