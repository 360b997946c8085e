#include "pipeline/order/lengths.h"

#include <utility>

namespace penstock {

LengthTable::LengthTable(std::vector<std::span<const uint32_t>> columns)
    : columns_(std::move(columns)), first_({0}) {
  for (const auto& column : columns_) {
    first_.push_back(first_.back() + column.size());
  }
  if (first_.back() > 0) {
    files_per_id_ = static_cast<double>(columns_.size()) /
                    static_cast<double>(first_.back());
  }
}

}  // namespace penstock
