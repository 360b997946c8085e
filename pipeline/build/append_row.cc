#include "pipeline/build/append_row.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "pipeline/graph/source_records.h"
#include "pipeline/row_function.h"

namespace penstock {
namespace {

// All values of `from` go behind those of `to`.
void AppendBytes(const Column& from, Column& to) {
  for (size_t v = 0; v < from.values(); ++v) {
    to.bytes.append(from.bytes_at(v));
    to.byte_offsets.push_back(to.bytes.size());
  }
}

template <typename Values>
void KeepEndsOf(size_t first_row, uint64_t most, bool backs, Column& column,
                Values& values) {
  std::vector<uint64_t>& offsets = column.row_offsets;
  uint64_t to = offsets[first_row];
  uint64_t from = to;
  for (size_t row = first_row; row + 1 < offsets.size(); ++row) {
    const uint64_t end = offsets[row + 1];
    const uint64_t kept = std::min(end - from, most);
    if (backs) from = end - kept;
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(from), kept,
                values.begin() + static_cast<std::ptrdiff_t>(to));
    to += kept;
    offsets[row + 1] = to;
    from = end;
  }
  values.resize(to);
}

}  // namespace

void AppendColumn(const Column& from, Column& to) {
  const uint64_t before = to.values();
  to.name = from.name;
  to.type = from.type;
  assert(!from.narrow && !to.narrow);  // decoders keep those for themselves
  to.ints.insert(to.ints.end(), from.ints.begin(), from.ints.end());
  to.floats.insert(to.floats.end(), from.floats.begin(), from.floats.end());
  if (from.type == FeatureType::kBytes) AppendBytes(from, to);
  for (size_t row = 1; row < from.row_offsets.size(); ++row) {
    to.row_offsets.push_back(before + from.row_offsets[row]);
  }
}

void AppendRow(const Examples& from, size_t row, Examples& to) {
  to.columns.resize(from.columns.size());
  for (size_t c = 0; c < from.columns.size(); ++c) {
    to.columns[c].name = from.columns[c].name;
    to.columns[c].type = from.columns[c].type;
    CopyRow(from.columns[c], row, to.columns[c]);
  }
  ++to.rows;
}

void ReserveRows(std::span<const RowRef> rows, Examples& to) {
  if (rows.empty()) return;
  const std::vector<Column>& first = rows[0].examples->columns;
  to.columns.resize(first.size());
  for (size_t c = 0; c < first.size(); ++c) {
    Column& column = to.columns[c];
    column.row_offsets.reserve(column.row_offsets.size() + rows.size());
    uint64_t values = column.values();
    uint64_t bytes = column.bytes.size();
    for (const RowRef& row : rows) {
      const Column& from = row.examples->columns[c];
      values += from.values_in(row.row);
      if (from.type == FeatureType::kBytes) bytes += from.bytes_in(row.row);
    }
    switch (first[c].type) {
      case FeatureType::kInt64:
        // Narrow ones among others are widened, and these among narrow ones.
        first[c].narrow ? column.narrow_ints.reserve(values)
                        : column.ints.reserve(values);
        break;
      case FeatureType::kFloat:
        column.floats.reserve(values);
        break;
      case FeatureType::kBytes:
        column.byte_offsets.reserve(values + 1);
        column.bytes.reserve(bytes);
        break;
    }
  }
}

void AppendNoValues(Examples& to) {
  for (Column& column : to.columns) column.EndRow();
  ++to.rows;
}

void AppendTokenRows(std::span<const std::string_view> records, TokenType type,
                     Examples& to) {
  to.columns.resize(1);
  Column& column = to.columns[0];
  column.name = kMegatronFeature;
  column.type = FeatureType::kInt64;
  for (const std::string_view record : records) {
    AppendTokens(record, type, column.ints);
    column.EndRow();
  }
  to.rows += records.size();
}

void AppendTexts(std::span<const std::string_view> texts, Examples& to) {
  to.columns.resize(1);
  Column& column = to.columns[0];
  column.name = "text";
  column.type = FeatureType::kBytes;
  for (const std::string_view text : texts) {
    column.bytes.append(text);
    column.byte_offsets.push_back(column.bytes.size());
    column.EndRow();
  }
  to.rows += texts.size();
}

void KeepEnds(size_t first_row, uint64_t most, bool backs, Column& column) {
  if (column.type == FeatureType::kFloat) {
    KeepEndsOf(first_row, most, backs, column, column.floats);
  } else if (column.narrow) {
    KeepEndsOf(first_row, most, backs, column, column.narrow_ints);
  } else {
    KeepEndsOf(first_row, most, backs, column, column.ints);
  }
}

}  // namespace penstock
