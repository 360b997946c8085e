#include "pipeline/arrange/planned_rows.h"

namespace penstock {

std::span<const Row> PlannedRows::Fill(const Order& order,
                                       const LengthTable& lengths,
                                       uint64_t epoch, uint64_t first,
                                       uint64_t count) {
  rows_.resize(count);
  if (order.has_parts()) {
    parts_.resize(count);
    order.FillParts(first, parts_);
    for (size_t i = 0; i < count; ++i) {
      rows_[i] = {.record = parts_[i].record,
                  .length = parts_[i].end,
                  .begin = parts_[i].begin};
    }
    return rows_;
  }
  ids_.resize(count);
  lengths_.resize(count);
  order.Fill(epoch, first, ids_);
  lengths.Look(ids_, lengths_);
  for (size_t i = 0; i < count; ++i) {
    rows_[i] = {.record = ids_[i], .length = lengths_[i]};
  }
  return rows_;
}

}  // namespace penstock
