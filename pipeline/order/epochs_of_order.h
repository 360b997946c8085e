// Rows of an order that run on from one epoch into the next.
#pragma once

#include <cstdint>
#include <span>

#include "pipeline/order/order.h"

namespace penstock {

// ids[i] is row `first` + i of `order`, whose rows are numbered from the
// beginning of epoch `epoch` through those after it.
void FillRows(const Order& order, uint64_t epoch, uint64_t first,
              std::span<uint64_t> ids);

// Any such rows, each replaced by its record.
// Cost:  a look at each, and a sort of those that lie in several epochs.
void LookRows(const Order& order, uint64_t epoch, std::span<uint64_t> rows);

}  // namespace penstock
