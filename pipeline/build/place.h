// Columns of rows -> the tensors of the contract.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/build/rows.h"
#include "pipeline/contract.h"
#include "pipeline/graph/stages.h"

namespace penstock {

// Puts rows into fixed shapes. Lengths and the row mask come from how many
// values a row has, never from the values; rows that pad come from the contract
// alone.
//
// Threads: any number at a time.
class Placer {
 public:
  Placer(const Stages& stages, Contract contract);

  // tensors and record_ids of a batch of `rows` in shape `shape`.
  // Errors:  kInvalidArgument naming the record and the feature: a value that
  //          does not fit int32; more values than the shape has, unless
  //          TooLong::kTruncate.
  StatusOr<Batch> Place(size_t shape, std::span<const RowRef> rows,
                        const Locate& locate) const;

  const Contract& contract() const { return contract_; }

 private:
  Status PlaceData(size_t t, size_t width, std::span<const RowRef> rows,
                   const Locate& locate, Tensor& tensor) const;
  void PlaceLengths(size_t t, int64_t limit, std::span<const RowRef> rows,
                    Tensor& tensor) const;

  const Contract contract_;
  const bool truncate_;
  // [tensors but the row mask, which is last]: the column of each.
  std::vector<size_t> columns_;
};

}  // namespace penstock
