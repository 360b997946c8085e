// One host's part of one global batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pipeline/state.h"

namespace penstock {

// The record id of a row that pads.
inline constexpr uint64_t kNoRecord = ~uint64_t{0};

// Every tensor begins at a multiple of this.
inline constexpr size_t kTensorAlignment = 64;

// Values of tensor t of the contract, row-major: [rows, ...]. A view of its
// batch's memory.
struct Tensor {
  std::vector<int64_t> shape;
  std::span<std::byte> bytes;

  template <typename T>
  std::span<const T> values() const {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

// The rows of this host's shards, one shard after the other in rising order,
// each of the same number of rows. Copies share the tensors' memory, which
// nobody changes once a pipeline has handed the batch out.
struct Batch {
  uint64_t step = 0;
  uint64_t epoch = 0;
  size_t shape = 0;             // number of its length in Contract::lengths
  std::vector<Tensor> tensors;  // in the contract's order
  // Row r is made of records [row_offsets[r], row_offsets[r + 1]), none where
  // it pads; a record of which FlatMap made several rows comes with each.
  std::vector<uint32_t> row_offsets;  // [rows + 1]
  std::vector<uint64_t> record_ids;
  // [record_ids]: the value of the record, or of the row that FlatMap made of
  // it, that its part in the row begins with, where Pack cuts them. Empty where
  // none is cut.
  std::vector<uint32_t> record_begins;
  // The position once the devices have consumed this batch.
  State state_after;
  std::shared_ptr<std::byte[]> memory;  // of the tensors

  size_t rows() const {
    return row_offsets.empty() ? 0 : row_offsets.size() - 1;
  }
  std::span<const uint64_t> RecordsOf(size_t row) const {
    return std::span(record_ids)
        .subspan(row_offsets[row], row_offsets[row + 1] - row_offsets[row]);
  }
};

}  // namespace penstock
