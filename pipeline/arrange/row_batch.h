// Assignments whose rows are one record each.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pipeline/arrange/rows.h"

namespace penstock {

// Each of out.pieces is a row, from its front; then rows that pad, up to
// `batch_rows`.
void AssignWholeRows(size_t shape, uint64_t batch_rows, Assignment& out);

}  // namespace penstock
