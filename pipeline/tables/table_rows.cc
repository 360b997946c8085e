#include "pipeline/tables/table_rows.h"

#include <algorithm>
#include <span>
#include <utility>

namespace penstock {
namespace {

constexpr size_t kLinesAhead = 4;

template <typename T>
void PrefetchFrom(std::span<const T> values, size_t begin) {
  constexpr size_t kValuesOfLine = 64 / sizeof(T);  // of a cache
  const size_t end =
      std::min(values.size(), begin + kLinesAhead * kValuesOfLine);
  for (size_t i = begin; i < end; i += kValuesOfLine) {
    __builtin_prefetch(values.data() + i);
  }
}

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
    column.narrow ? PrefetchFrom(column.narrow_ints_of(row.row), begin)
                  : PrefetchFrom(column.ints_of(row.row), begin);
  }
}

}  // namespace penstock
