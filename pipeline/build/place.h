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

  // Fills rows of all tensors of `batch`, which has shape batch.shape and is of
  // batch.epoch. Adds 1 to `cut_rows` for each row and feature, other than the
  // one that arranges, of which some values did not fit and were left out.
  // Errors:  kInvalidArgument naming the record and the feature: a value that
  //          does not fit its type; more values than the shape has, unless
  //          TooLong::kTruncate; of rows of several records, features that do
  //          not go together; those of Deriver. Of several rows that have one
  //          the first row's.
  Status Place(const RowsToPlace& rows, const Locate& locate, Batch& batch,
               uint64_t& cut_rows) const;

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

  Status PlaceTensors(const RowsToPlace& rows, const Locate& locate,
                      Batch& batch, uint64_t& cut_rows) const;
  // Also how many values the rows have, where a tensor behind it tells that.
  Status PlaceData(size_t t, const RowsToPlace& rows, const Locate& locate,
                   Batch& batch, uint64_t& cut_rows) const;
  // The first rows, of one piece each that begins where they do: how many.
  size_t PlaceShort(size_t t, const RowsToPlace& rows, Batch& batch) const;
  Status PlaceRun(size_t t, const Run& run, size_t to, const Locate& locate,
                  Batch& batch) const;
  void PlaceCounts(size_t t, const RowsToPlace& rows, Batch& batch) const;
  // Into tensor `t`, which tells how many values a row has.
  void PutCount(size_t t, size_t values, size_t row, Batch& batch) const;

  const Contract contract_;
  const bool truncate_;
  std::vector<Source> sources_;  // [tensors]
  std::vector<LongFeature> long_features_;
  std::vector<std::shared_ptr<const Deriver>> derivers_;
};

}  // namespace penstock
