// Batches at the end of an epoch that are not full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/arrange/arranger.h"

namespace penstock {

// [queues]: in whose batch the rows[q] rows end that are left of queue q, fewer
// than a batch: its own, or that of the first of `queues` behind it, which
// rise, that has rows and room for all of these, those that joined before
// included.
//
// Cost:  the square of the queues.
std::vector<size_t> MergeLeftovers(std::vector<uint64_t> rows,
                                   std::span<const size_t> queues,
                                   const ArrangeOptions& options);

}  // namespace penstock
