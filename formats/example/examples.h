// Rows of named features, stored by column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/example/feature_spec.h"

namespace penstock {

// Growing leaves what it adds as it is, to be written and not to be zeroed.
template <typename T>
struct UnfilledAllocator : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = UnfilledAllocator<U>;
  };
  template <typename U, typename... From>
  void construct(U* at, From&&... from) {
    if constexpr (sizeof...(From) == 0) {
      ::new (static_cast<void*>(at)) U;
    } else {
      ::new (static_cast<void*>(at)) U(std::forward<From>(from)...);
    }
  }
};

// One feature of many rows. Row r holds values [row_offsets[r],
// row_offsets[r + 1]); of `ints`, `floats` and `byte_offsets` only the one that
// belongs to `type` is used.
struct Column {
  std::string name;
  FeatureType type = FeatureType::kBytes;

  std::vector<uint64_t> row_offsets = {0};  // [rows + 1]
  std::vector<int64_t> ints;
  // Instead of `ints` while `narrow`; see FeatureSpec::narrow.
  std::vector<int32_t, UnfilledAllocator<int32_t>> narrow_ints;
  bool narrow = false;
  std::vector<float> floats;
  std::vector<uint64_t> byte_offsets = {0};  // [values + 1] into `bytes`
  std::string bytes;

  // Of a ragged column alone, else empty: row r has steps [row_steps[r],
  // row_steps[r + 1]) and step s values [step_offsets[s], step_offsets[s + 1]).
  std::vector<uint64_t> row_steps;     // [rows + 1]
  std::vector<uint64_t> step_offsets;  // [steps + 1]

  bool is_ragged() const { return !row_steps.empty(); }
  // Makes an empty column ragged.
  void MakeRagged();
  // How many there are in all rows, a row not yet ended too.
  uint64_t values() const {
    return type == FeatureType::kBytes   ? byte_offsets.size() - 1
           : type == FeatureType::kFloat ? floats.size()
           : narrow                      ? narrow_ints.size()
                                         : ints.size();
  }
  // Makes it a column of `ints`, with the values that it has.
  void Widen();
  // Ends a row behind the values and steps that are there.
  void EndRow() {
    row_offsets.push_back(values());
    if (is_ragged()) row_steps.push_back(step_offsets.size() - 1);
  }

  uint64_t values_in(size_t row) const {
    return row_offsets[row + 1] - row_offsets[row];
  }
  std::span<const int64_t> ints_of(size_t row) const {
    return {ints.data() + row_offsets[row], values_in(row)};
  }
  std::span<const int32_t> narrow_ints_of(size_t row) const {
    return {narrow_ints.data() + row_offsets[row], values_in(row)};
  }
  // Value `i` of a row of integers, narrow or not.
  int64_t int_of(size_t row, size_t i) const {
    return narrow ? narrow_ints_of(row)[i] : ints_of(row)[i];
  }
  std::span<const float> floats_of(size_t row) const {
    return {floats.data() + row_offsets[row], values_in(row)};
  }
  // Value `v` of the whole column (not of a row), a bytes feature's.
  std::string_view bytes_at(uint64_t v) const {
    return std::string_view(bytes).substr(
        byte_offsets[v], byte_offsets[v + 1] - byte_offsets[v]);
  }
  // Of all values of a row, a bytes feature's.
  uint64_t bytes_in(size_t row) const {
    return byte_offsets[row_offsets[row + 1]] - byte_offsets[row_offsets[row]];
  }
  // Forgets the rows, keeps the memory.
  void Clear();
};

struct Examples {
  size_t rows = 0;
  std::vector<Column> columns;

  // Null where there is no such column.
  const Column* Find(std::string_view name) const;
  void Clear();
};

}  // namespace penstock
