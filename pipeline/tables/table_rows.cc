#include "pipeline/tables/table_rows.h"

#include <algorithm>
#include <span>
#include <utility>

namespace penstock {
namespace {

constexpr size_t kValuesOfLine = 64 / sizeof(int64_t);  // of a cache
constexpr size_t kValuesAhead = 4 * kValuesOfLine;

}  // namespace

void TableRows::Add(uint64_t first_id, const ColumnTable& table,
                    uint64_t first_row, std::vector<size_t> used) {
  runs_.push_back({first_id, &table.columns(), first_row, std::move(used)});
}

void TableRows::Prefetch(uint64_t id, size_t begin) const {
  const TableRow row = Find(id);
  for (const size_t c : *row.used) {
    const Column& column = row.columns->columns[c];
    if (column.type != FeatureType::kInt64) continue;
    const std::span<const int64_t> values = column.ints_of(row.row);
    const size_t end = std::min(values.size(), begin + kValuesAhead);
    for (size_t i = begin; i < end; i += kValuesOfLine) {
      __builtin_prefetch(values.data() + i);
    }
  }
}

}  // namespace penstock
