#include "pipeline/order/epochs_of_order.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace penstock {

void FillRows(const Order& order, uint64_t epoch, uint64_t first,
              std::span<uint64_t> ids) {
  const uint64_t records = order.records();
  epoch += first / records;
  first %= records;
  while (!ids.empty()) {
    const auto count = std::min<uint64_t>(records - first, ids.size());
    order.Fill(epoch, first, ids.first(count));
    ids = ids.subspan(count);
    first = 0;
    ++epoch;
  }
}

void LookRows(const Order& order, uint64_t epoch, std::span<uint64_t> rows) {
  if (rows.empty()) return;
  const uint64_t records = order.records();
  const auto [least, most] = std::ranges::minmax_element(rows);
  const uint64_t first = *least / records;
  if (first == *most / records) {
    for (uint64_t& row : rows) row -= first * records;
    order.Look(epoch + first, rows);
    return;
  }
  std::vector<std::pair<uint64_t, size_t>> sorted(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) sorted[i] = {rows[i], i};
  std::ranges::sort(sorted);
  std::vector<uint64_t> positions;
  for (size_t begin = 0; begin < sorted.size();) {
    const uint64_t later = sorted[begin].first / records;
    positions.clear();
    for (size_t i = begin; i < sorted.size(); ++i) {
      if (sorted[i].first / records != later) break;
      positions.push_back(sorted[i].first - later * records);
    }
    order.Look(epoch + later, positions);
    for (const uint64_t id : positions) rows[sorted[begin++].second] = id;
  }
}

}  // namespace penstock
