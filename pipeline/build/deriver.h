// What makes tensors of a batch from where the pieces of a row lie.
//
// derivers.h lists those that there are; they never know of each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "formats/files/status.h"
#include "pipeline/batch.h"
#include "pipeline/build/rows.h"
#include "pipeline/graph/stages.h"

namespace penstock {

struct RowToDerive {
  std::span<const PlacedPiece> pieces;  // none of a row that pads
  size_t row = 0;                       // of the batch
  const Locate& locate;
};

// Threads: any number at a time, for different rows of a batch.
class Deriver {
 public:
  virtual ~Deriver() = default;

  // Fills a row of its tensors; the row of the feature's own is there.
  // Errors:  kInvalidArgument naming the record and the tensor.
  virtual Status Derive(const RowToDerive& row, Batch& batch) const = 0;
};

// All that is derived for a graph, in the order in which they must run:
// objectives, which may change the values of a feature, come first. `dataset`
// is the data's fingerprint.
std::vector<std::shared_ptr<const Deriver>> MakeDerivers(const Stages& stages,
                                                         uint64_t dataset);

// Row `row` of a tensor of two dimensions.
template <typename T>
std::span<T> RowOf(Tensor& tensor, size_t row) {
  const auto width = static_cast<size_t>(tensor.shape[1]);
  return {reinterpret_cast<T*>(tensor.bytes.data()) + row * width, width};
}

}  // namespace penstock
