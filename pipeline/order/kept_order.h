// Some of the records of a source, where most of them or many are left out.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pipeline/order/order.h"
#include "pipeline/ordering.h"

namespace penstock {

// A bit for each of `records` records: those whose numbers lie in [begin, end)
// by the seed, as SplitOptions says.
// Cost:    about 3 ns a record.
std::vector<uint64_t> SplitBits(const SplitOptions& split, uint64_t records);

// FileOrder(records, first_id) of those records alone whose bit is set; the
// lowest bit of bits[0] is that of the first. `bits` has a word for each 64,
// and none is set behind the last record. Cost:    a position looks at a hint,
// some counts and 8 words at most, however
//          many records there are; those that follow are found bit by bit.
// Memory:  1.25 bits a record, at most.
std::unique_ptr<const Order> KeptOrder(std::vector<uint64_t> bits,
                                       uint64_t records, uint64_t first_id);

}  // namespace penstock
