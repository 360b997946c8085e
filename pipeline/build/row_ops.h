// Row operations at work on a chunk of decoded rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "formats/example/examples.h"
#include "formats/files/status_or.h"
#include "pipeline/build/rows.h"
#include "pipeline/graph/stages.h"

namespace penstock {

// Rows on their way from their records to where they are placed.
struct ChunkOfRows {
  Examples rows;
  std::vector<uint64_t> records;  // [rows] their ids
  std::vector<uint32_t> at;       // [rows] of the records that came; rising
  std::vector<uint32_t> numbers;  // [rows] among those of its record; rising
  // [records that came] the rows that each has become, those that were left out
  // included: one at least.
  std::vector<uint32_t> rows_of;
};

// Threads: any number at a time.
class RowOps {
 public:
  // `dataset` is the data's fingerprint, which keys depend on.
  RowOps(std::vector<RowOp> ops, uint64_t dataset)
      : ops_(std::move(ops)), dataset_(dataset) {}

  size_t size() const { return ops_.size(); }

  // Runs operations [begin, end).
  // Errors:  those of functions, naming them; kInvalidArgument for one that did
  //          what it may not, naming the record.
  Status Run(size_t begin, size_t end, uint64_t epoch, const Locate& locate,
             ChunkOfRows& chunk) const;

 private:
  std::vector<uint64_t> KeysOf(size_t op, uint64_t seed, uint64_t epoch,
                               const ChunkOfRows& chunk) const;

  Status Run(const SelectStage& select, size_t op, uint64_t epoch,
             const Locate& locate, ChunkOfRows& chunk) const;
  Status Run(const RenameOptions& rename, size_t op, uint64_t epoch,
             const Locate& locate, ChunkOfRows& chunk) const;
  Status Run(const ConstantOptions& constant, size_t op, uint64_t epoch,
             const Locate& locate, ChunkOfRows& chunk) const;
  Status Run(const MapStage& map, size_t op, uint64_t epoch,
             const Locate& locate, ChunkOfRows& chunk) const;
  Status Run(const FilterStage& filter, size_t op, uint64_t epoch,
             const Locate& locate, ChunkOfRows& chunk) const;
  Status Run(const FlatMapStage& flat_map, size_t op, uint64_t epoch,
             const Locate& locate, ChunkOfRows& chunk) const;

  std::vector<RowOp> ops_;
  uint64_t dataset_;
};

}  // namespace penstock
