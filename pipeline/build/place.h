// Columns of rows -> the tensors of the contract.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/batch.h"
#include "pipeline/build/deriver.h"
#include "pipeline/build/fill_in_middle.h"
#include "pipeline/build/row_runs.h"
#include "pipeline/build/rows.h"
#include "pipeline/contract.h"
#include "pipeline/graph/stages.h"

namespace penstock {

// Puts pieces into fixed shapes. Lengths and masks come from how many values
// there are, never from the values; rows that pad come from the contract alone.
// Every value of a tensor is written once, but for those that an objective
// changes.
//
// Threads: any number at a time, for different rows of a batch.
class Placer {
 public:
  // `dataset` is the data's fingerprint, by which objectives draw.
  Placer(const Stages& stages, Contract contract, uint64_t dataset);

  // Fills row `row` of all tensors of `batch`, which has shape batch.shape and
  // is of batch.epoch; without pieces it pads. Adds 1 to `cut_rows` for each
  // feature, other than the one that arranges, of which some values did not fit
  // and were left out.
  // Errors:  kInvalidArgument naming the record and the feature: a value that
  //          does not fit its type; more values than the shape has, unless
  //          TooLong::kTruncate; of rows of several records, features that do
  //          not go together; those of Deriver.
  Status Place(std::span<const PlacedPiece> pieces, size_t row,
               const Locate& locate, Batch& batch, uint64_t& cut_rows) const;

  // A feature that whoever reads a row may put there before Place(), which says
  // so by RowRef::in_place: bytes of kLongValueBytes at least.
  struct LongFeature {
    size_t tensor = 0;
    size_t column = 0;
    std::string name;  // as rows have it
    uint64_t row_bytes = 0;
  };
  const std::vector<LongFeature>& long_features() const {
    return long_features_;
  }

  const Contract& contract() const { return contract_; }

 private:
  // What fills a tensor.
  struct Source {
    Role role = Role::kData;
    FeaturePlace feature;
    std::vector<size_t> widths;  // [shapes]: values of a row
    // It tells how many values the tensor before it has.
    bool counted = false;
    uint64_t pad_bits = 0;
    std::shared_ptr<const FillInMiddleWriter> fill_in_middle;  // or null
  };

  // Says how many values the row has.
  Status PlaceData(size_t t, std::span<const PlacedPiece> pieces, size_t row,
                   const Locate& locate, Batch& batch, size_t& values,
                   uint64_t& cut_rows) const;
  static size_t CountValues(const Source& source,
                            std::span<const PlacedPiece> pieces, size_t width);

  const Contract contract_;
  const bool truncate_;
  std::vector<Source> sources_;  // [tensors]
  std::vector<LongFeature> long_features_;
  std::vector<std::shared_ptr<const Deriver>> derivers_;
};

}  // namespace penstock
