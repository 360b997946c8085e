// Columns of rows -> the tensors of the contract.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/batch.h"
#include "pipeline/build/rows.h"
#include "pipeline/contract.h"
#include "pipeline/graph/stages.h"

namespace penstock {

// A piece of a row, and where its values are.
struct PlacedPiece {
  Piece piece;
  RowRef from;
};

// Puts pieces into fixed shapes. Lengths and masks come from how many values
// there are, never from the values; rows that pad come from the contract alone.
// Every value of a tensor is written once.
//
// Threads: any number at a time, for different rows of a batch.
class Placer {
 public:
  Placer(const Stages& stages, Contract contract);

  // Fills row `row` of all tensors of `batch`, which has shape batch.shape;
  // without pieces it pads. Adds 1 to `cut_rows` for each feature, other than
  // the one that arranges, of which some values did not fit and were left out.
  // Errors:  kInvalidArgument naming the record and the feature: a value that
  //          does not fit int32; more values than the shape has, unless
  //          TooLong::kTruncate; of rows of
  //          several records, features that do not go together.
  Status Place(std::span<const PlacedPiece> pieces, size_t row,
               const Locate& locate, Batch& batch, uint64_t& cut_rows) const;

  const Contract& contract() const { return contract_; }

 private:
  // What fills a tensor.
  struct Source {
    size_t column = 0;
    bool arranges = false;  // it is the feature that pieces are cut from
    bool varying = false;
    bool optional = false;
  };

  Status PlaceData(size_t t, std::span<const PlacedPiece> pieces, size_t row,
                   const Locate& locate, Batch& batch,
                   uint64_t& cut_rows) const;
  Status CheckGoesWith(const PlacedPiece& placed, const Source& source,
                       const std::string& name, const Locate& locate) const;
  int64_t CountValues(size_t t, std::span<const PlacedPiece> pieces,
                      int64_t width) const;

  const Contract contract_;
  const bool truncate_;
  const bool packed_;  // other features go with the one that arranges
  size_t by_column_ = 0;
  std::vector<Source> sources_;  // [tensors but the row mask, which is last]
};

}  // namespace penstock
