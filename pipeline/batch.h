// One host's part of one global batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/state.h"

namespace penstock {

// The record id of a row that pads.
inline constexpr uint64_t kNoRecord = ~uint64_t{0};

// Values of tensor t of the contract, row-major: [rows, ...].
struct Tensor {
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;

  template <typename T>
  std::span<const T> values() const {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

// The rows of this host's shards, one shard after the other in rising order,
// each of the same number of rows.
struct Batch {
  uint64_t step = 0;
  uint64_t epoch = 0;
  size_t shape = 0;             // number of its length in Contract::lengths
  std::vector<Tensor> tensors;  // in the contract's order
  std::vector<uint64_t> record_ids;  // [rows]; kNoRecord for rows that pad
  // The position once the devices have consumed this batch.
  State state_after;
};

}  // namespace penstock
