// Where a block of an array lies in its bytes, and what taking it costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "infeed/sharding/sharding.h"

namespace penstock {

// A block of a row-major array: runs of neighbouring bytes.
struct SliceLayout {
  uint64_t offset_bytes = 0;  // of its first element
  uint64_t run_bytes = 0;
  uint64_t runs = 0;  // 0 for a block without elements
  // Between neighbours along each dimension of the array.
  std::vector<int64_t> strides_bytes;

  // Of the block alone: what a packed copy writes.
  uint64_t packed_bytes() const { return runs * run_bytes; }
  // A view is enough where whatever takes it knows no strides.
  bool dense() const { return runs <= 1; }
  // From its first byte to behind its last: what a transfer moves that can
  // neither stride nor wait for a copy.
  uint64_t span_bytes = 0;
};

// Of a row-major array.
std::vector<int64_t> DenseStrides(const std::vector<int64_t>& shape,
                                  uint64_t element_bytes);

// `block` has a range for each dimension of `shape`, within it.
SliceLayout LayoutOf(const std::vector<int64_t>& shape,
                     const std::vector<IndexRange>& block,
                     uint64_t element_bytes);

// Writes a block of `sizes` densely into `out`, which has the shape `shard`, at
// least as large; what the block does not fill is filled with `pad`, the bytes
// of an element.
//
// Shapes:  `first` begins at the block's first element and reaches to its last;
//          out is product(shard) * pad.size() bytes
// Cost:    out's bytes, written once or, where there is padding, twice.
void PackBlock(std::span<const std::byte> first, std::span<const int64_t> sizes,
               std::span<const int64_t> strides_bytes,
               std::span<const int64_t> shard, std::span<const std::byte> pad,
               std::span<std::byte> out);

}  // namespace penstock
