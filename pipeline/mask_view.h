// Attention masks as views of segment ids: no memory of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/batch.h"

namespace penstock {

// The segment ids of a batch, [rows, length], spread over more dimensions: a
// stride of 0 repeats the same value.
struct MaskView {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides_bytes;
  const std::byte* values = nullptr;  // int32; of the batch

  int32_t At(const std::vector<int64_t>& index) const;
};

// [rows, 1, 1, length]: the segment of each key. Where it is not 0 there is a
// real token, so that this is the mask of padding.
MaskView KeySegments(const Tensor& segment_ids);

// Two views of shape [rows, 1, length, length]: a query sees a key where both
// have the same segment other than 0, and in causal attention no later key.
MaskView KeySegmentsOfQueries(const Tensor& segment_ids);
MaskView QuerySegmentsOfKeys(const Tensor& segment_ids);

// Bytes that bool masks [rows, 1, 1, length] and [rows, 1, length, length]
// would take if they were made.
uint64_t KeyMaskBytes(int64_t rows, int64_t length);
uint64_t PairMaskBytes(int64_t rows, int64_t length);

}  // namespace penstock
