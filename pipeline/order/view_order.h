// Orders made of others: parts of them, epochs in a row, one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pipeline/order/order.h"

namespace penstock {

// Positions [begin, begin + records) of each epoch of `of`, which has them.
std::unique_ptr<const Order> SliceOrder(std::shared_ptr<const Order> of,
                                        uint64_t begin, uint64_t records);

// `epochs` epochs of `of` as one, or all of them for 0.
std::unique_ptr<const Order> RepeatOrder(std::shared_ptr<const Order> of,
                                         uint64_t epochs);

// One after the other; each has an end.
std::unique_ptr<const Order> ConcatOrder(
    std::vector<std::shared_ptr<const Order>> parts);

// FileOrder(records, first_id) without some of its records: `excluded`, counted
// from the first, rises and is below `records`.
// Cost:  a search in the table for each position; none for those that follow.
// Memory: 8 bytes for each that is excluded.
std::unique_ptr<const Order> ExcludeOrder(uint64_t records, uint64_t first_id,
                                          std::vector<uint64_t> excluded);

}  // namespace penstock
