#include "pipeline/tables/column_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include "formats/files/crc32c.h"
#include "tokenizer/interface/fingerprint.h"

namespace penstock {
namespace {

Status BadColumns(const std::string& name, std::string what) {
  return InvalidArgumentError(fmt::format("{}: {}", name, what));
}

// Values that one checksum is of.
constexpr size_t kBlock = 1024;

template <typename T>
void HashValues(std::span<const T> values, Fingerprinter& hash) {
  for (size_t begin = 0; begin < values.size(); begin += kBlock) {
    const auto block =
        values.subspan(begin, std::min(kBlock, values.size() - begin));
    hash.Add(uint64_t{Crc32c(
        {reinterpret_cast<const char*>(block.data()), block.size_bytes()})});
  }
}

// As the same values in 64 bits.
void HashNarrow(std::span<const int32_t> values, Fingerprinter& hash) {
  std::array<int64_t, kBlock> wide;
  for (size_t begin = 0; begin < values.size(); begin += kBlock) {
    const auto block =
        values.subspan(begin, std::min(kBlock, values.size() - begin));
    std::ranges::copy(block, wide.begin());
    HashValues(std::span<const int64_t>(wide).first(block.size()), hash);
  }
}

uint64_t ValueBytes(const Column& column) {
  return column.type == FeatureType::kFloat ||
                 (column.type == FeatureType::kInt64 && column.narrow)
             ? 4
             : 8;
}

// Whether offsets go from 0 to `end` without a step back.
bool AreOffsets(const std::vector<uint64_t>& offsets, uint64_t end) {
  return !offsets.empty() && offsets.front() == 0 && offsets.back() == end &&
         std::ranges::is_sorted(offsets);
}

}  // namespace

StatusOr<std::shared_ptr<const ColumnTable>> ColumnTable::Create(
    std::shared_ptr<const Examples> columns, std::string name) {
  if (columns == nullptr || columns->columns.empty() || columns->rows == 0) {
    return FailedPreconditionError(
        fmt::format("{}: there are no records", name));
  }
  const std::shared_ptr<ColumnTable> table(
      new ColumnTable(std::move(columns), std::move(name)));
  PENSTOCK_RETURN_IF_ERROR(table->Measure());
  table->fingerprint_ = table->Hash();
  return std::shared_ptr<const ColumnTable>(table);
}

Status ColumnTable::Measure() {
  const uint64_t rows = columns_->rows;
  for (size_t c = 0; c < columns_->columns.size(); ++c) {
    const Column& column = columns_->columns[c];
    if (Find(column.name) != c) {
      return BadColumns(
          name_, fmt::format("two columns are called \"{}\"", column.name));
    }
    const bool bytes = column.type == FeatureType::kBytes;
    if (column.is_ragged() ||
        (bytes && !AreOffsets(column.byte_offsets, column.bytes.size()))) {
      return BadColumns(
          name_, fmt::format("column \"{}\" has offsets that do not go with "
                             "its {}",
                             column.name, bytes ? "bytes" : "values"));
    }
    const uint64_t values = column.values();
    const bool fixed = column.row_offsets.size() == 1 && values % rows == 0;
    if (!fixed && (column.row_offsets.size() != rows + 1 ||
                   !AreOffsets(column.row_offsets, values))) {
      return BadColumns(
          name_,
          fmt::format("column \"{}\" has {} offsets and {} values for "
                      "{} rows: give an offset more than rows, rising "
                      "from 0 to the values, or none where every row "
                      "has as many",
                      column.name, column.row_offsets.size(), values, rows));
    }
    each_.push_back(fixed ? values / rows : kByOffsets);
    size_bytes_ += values * ValueBytes(column) + column.bytes.size();
    std::vector<uint32_t>& lengths = lengths_.emplace_back(rows);
    for (uint64_t row = 0; row < rows; ++row) {
      lengths[row] = static_cast<uint32_t>(
          std::min<uint64_t>(BeginOf(c, row + 1) - BeginOf(c, row),
                             std::numeric_limits<uint32_t>::max() - 1));
    }
  }
  return OkStatus();
}

uint64_t ColumnTable::Hash() const {
  Fingerprinter hash;
  hash.Add(uint64_t{columns_->rows});
  for (size_t c = 0; c < columns_->columns.size(); ++c) {
    const Column& column = columns_->columns[c];
    hash.Add(column.name).Add(static_cast<uint64_t>(column.type));
    HashValues(std::span<const uint32_t>(lengths_[c]), hash);
    if (column.type == FeatureType::kBytes) {
      HashValues(std::span<const uint64_t>(column.byte_offsets), hash);
      HashValues(std::span<const char>(column.bytes), hash);
    } else if (column.type == FeatureType::kFloat) {
      HashValues(std::span<const float>(column.floats), hash);
    } else if (column.narrow) {
      HashNarrow(column.narrow_ints, hash);
    } else {
      HashValues(std::span<const int64_t>(column.ints), hash);
    }
  }
  return hash.Finish();
}

size_t ColumnTable::Find(std::string_view name) const {
  const auto found = std::ranges::find(columns_->columns, name, &Column::name);
  return found == columns_->columns.end()
             ? SIZE_MAX
             : static_cast<size_t>(found - columns_->columns.begin());
}

uint64_t ColumnTable::table_bytes() const {
  uint64_t bytes = 0;
  for (const Column& column : columns_->columns) {
    bytes += 8 * (column.row_offsets.size() + column.byte_offsets.size());
    bytes += sizeof(uint32_t) * rows();
  }
  return bytes;
}

uint64_t ColumnTable::RowBytes(uint64_t row) const {
  uint64_t bytes = 0;
  for (size_t c = 0; c < each_.size(); ++c) {
    const Column& column = columns_->columns[c];
    const uint64_t begin = BeginOf(c, row);
    const uint64_t end = BeginOf(c, row + 1);
    bytes += ValueBytes(column) * (end - begin);
    if (column.type != FeatureType::kBytes) continue;
    bytes += column.byte_offsets[end] - column.byte_offsets[begin];
  }
  return bytes;
}

Status ColumnTable::Check(const Feature& feature) const {
  const size_t c = Find(feature.name);
  if (c == SIZE_MAX) {
    std::string names;
    for (const Column& column : columns_->columns) {
      names += (names.empty() ? "" : ", ") + column.name;
    }
    return BadColumns(name_, fmt::format("there is no column \"{}\": they are "
                                         "{}",
                                         feature.name, names));
  }
  const Column& column = columns_->columns[c];
  if (column.type != feature.type) {
    return BadColumns(name_,
                      fmt::format("column \"{}\" is {}, not {}", feature.name,
                                  FeatureTypeName(column.type),
                                  FeatureTypeName(feature.type)));
  }
  if (feature.encoding != FeatureEncoding::kPlain) {
    return BadColumns(name_, fmt::format("column \"{}\" has its values plain: "
                                         "leave out the encoding",
                                         feature.name));
  }
  if (feature.length == Feature::kVarying) return OkStatus();
  for (uint64_t row = 0; row < rows(); ++row) {
    const int64_t found = lengths_[c][row];
    if (found == feature.length || (feature.optional && found == 0)) continue;
    return BadColumns(
        name_, fmt::format("row {}: column \"{}\" has {} values, not {}", row,
                           feature.name, found, feature.length));
  }
  return OkStatus();
}

void ColumnTable::AppendTo(size_t column, uint64_t row, Column& to) const {
  const Column& from = columns_->columns[column];
  const auto begin = static_cast<std::ptrdiff_t>(BeginOf(column, row));
  const auto end = static_cast<std::ptrdiff_t>(BeginOf(column, row + 1));
  if (from.type == FeatureType::kInt64) {
    from.narrow
        ? to.ints.insert(to.ints.end(), from.narrow_ints.begin() + begin,
                         from.narrow_ints.begin() + end)
        : to.ints.insert(to.ints.end(), from.ints.begin() + begin,
                         from.ints.begin() + end);
  } else if (from.type == FeatureType::kFloat) {
    to.floats.insert(to.floats.end(), from.floats.begin() + begin,
                     from.floats.begin() + end);
  } else {
    for (auto v = begin; v < end; ++v) {
      to.bytes.append(from.bytes_at(static_cast<uint64_t>(v)));
      to.byte_offsets.push_back(to.bytes.size());
    }
  }
  to.EndRow();
}

}  // namespace penstock
