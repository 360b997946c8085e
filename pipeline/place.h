// Columns of rows -> the tensors of the contract.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "pipeline/contract.h"
#include "pipeline/rows.h"
#include "pipeline/stages.h"

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
  absl::StatusOr<Batch> Place(size_t shape, std::span<const RowRef> rows,
                              const Locate& locate) const;

  const Contract& contract() const { return contract_; }

 private:
  // Where a tensor's values come from.
  struct Origin {
    size_t column = 0;
    FeatureType type = FeatureType::kInt64;
    std::string feature;
  };

  const Contract contract_;
  const bool truncate_;
  std::vector<Origin> origins_;  // [tensors]; unused for the row mask
};

}  // namespace penstock
