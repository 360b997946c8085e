// The rows of a plan: what an order has, with lengths.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/arrange/rows.h"
#include "pipeline/order/lengths.h"
#include "pipeline/order/order.h"

namespace penstock {

// Threads: one at a time.
class PlannedRows {
 public:
  // `count` rows from position `first` on; they stay until the next call.
  std::span<const Row> Fill(const Order& order, const LengthTable& lengths,
                            uint64_t epoch, uint64_t first, uint64_t count);

 private:
  std::vector<uint64_t> ids_;
  std::vector<uint32_t> lengths_;
  std::vector<RecordPart> parts_;
  std::vector<Row> rows_;
};

}  // namespace penstock
