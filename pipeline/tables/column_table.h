// Columns that a program has in memory, as records that are reached by number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/example/examples.h"
#include "formats/files/status_or.h"
#include "pipeline/features.h"

namespace penstock {

// Immutable; shares the columns.
//
// Memory:  4 bytes a row for each column, of their lengths.
class ColumnTable {
 public:
  // Errors:  kInvalidArgument for no rows or columns, for two of one name, and
  //          for columns whose offsets do not go with their values.
  static StatusOr<std::shared_ptr<const ColumnTable>> Create(
      std::shared_ptr<const Examples> columns, std::string name);

  // "columns": what the program calls them.
  const std::string& name() const { return name_; }
  uint64_t rows() const { return columns_->rows; }
  // As they were given.
  const Examples& columns() const { return *columns_; }
  // Of values and bytes.
  uint64_t size_bytes() const { return size_bytes_; }
  // Of offsets, which are the program's, and of lengths, which are ours.
  uint64_t table_bytes() const;
  uint64_t RowBytes(uint64_t row) const;
  // Of names, types and all values.
  uint64_t fingerprint() const { return fingerprint_; }

  // kInvalidArgument naming the column, and the row, that is not as it says.
  Status Check(const Feature& feature) const;

  // SIZE_MAX where there is no such column.
  size_t Find(std::string_view name) const;
  // How many values each row of a column has.
  std::span<const uint32_t> Lengths(size_t column) const {
    return lengths_[column];
  }
  // Appends row `row` of a column to `to`, which is not narrow.
  void AppendTo(size_t column, uint64_t row, Column& to) const;

 private:
  ColumnTable(std::shared_ptr<const Examples> columns, std::string name)
      : columns_(std::move(columns)), name_(std::move(name)) {}

  Status Measure();
  uint64_t Hash() const;
  // Where the values of a row begin.
  uint64_t BeginOf(size_t column, uint64_t row) const {
    const Column& of = columns_->columns[column];
    return each_[column] == kByOffsets ? of.row_offsets[row]
                                       : row * each_[column];
  }

  static constexpr uint64_t kByOffsets = UINT64_MAX;

  const std::shared_ptr<const Examples> columns_;
  const std::string name_;
  uint64_t size_bytes_ = 0;
  uint64_t fingerprint_ = 0;
  std::vector<uint64_t> each_;  // [columns]: values of every row
  std::vector<std::vector<uint32_t>> lengths_;  // [columns][rows]
};

}  // namespace penstock
