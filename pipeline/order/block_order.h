// Records that lie together stay together: blocks of them change places.
#pragma once

#include <cstdint>
#include <memory>

#include "pipeline/order/order.h"

namespace penstock {

// Blocks of `block_records` positions of `of`, permuted; the last may be
// shorter. Inside a block positions stay. `of` must have an end.
std::unique_ptr<const Order> BlockOrder(std::shared_ptr<const Order> of,
                                        uint64_t block_records, ShuffleKey key);

// Then windows of `window_records` positions, permuted in themselves; 0 is 16
// blocks.
std::unique_ptr<const Order> ShuffledBlocks(std::shared_ptr<const Order> of,
                                            uint64_t block_records,
                                            uint64_t window_records,
                                            ShuffleKey key);

// What `window_records` means.
uint64_t WindowOfBlocks(uint64_t block_records, uint64_t window_records);

}  // namespace penstock
