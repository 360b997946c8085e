// Records that a graph leaves out.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/graph/sources.h"
#include "pipeline/graph/stages.h"

namespace penstock {

// Of each source, counted from its first record; rising.
// Errors:  kInvalidArgument for records that are not there, and for Exclude
//          over a part of an order, whose records may be any.
StatusOr<std::vector<std::vector<uint64_t>>> ExcludedRecords(
    const Stages& stages, const Sources& sources);

}  // namespace penstock
