// Rows of planned batches: their records read by number, decoded and placed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/arrange/rows.h"
#include "pipeline/batch.h"
#include "pipeline/graph/source_records.h"
#include "pipeline/order/lengths.h"
#include "pipeline/run/job.h"
#include "pipeline/tables/table_rows.h"
#include "pipeline/tasks/scratch_pool.h"

namespace penstock {

// What building batches needs besides their assignments. Tasks share it.
//
// Threads: any number at a time, each for rows of its own.
class PlannedReader {
 public:
  // `records_of_row` is how many a row has, about.
  PlannedReader(std::shared_ptr<const Job> job,
                std::shared_ptr<const SourceRecords> files, LengthTable lengths,
                uint64_t records_of_row);
  ~PlannedReader();

  const Job& job() const { return *job_; }
  std::string WhereIs(uint64_t record) const { return files_->Locate(record); }
  // Rows of a part of a batch: about kPartBytes of records.
  size_t rows_at_once() const { return rows_at_once_; }

  // Reads and places rows from `row` on, a stretch of them that stays in the
  // nearest caches, and moves `row` behind them. False where the records of the
  // next row are more than kChunkBytes, unless `alone`.
  StatusOr<bool> Build(const Assignment& assignment, bool alone, size_t end,
                       size_t& row, Batch& batch, uint64_t& cut_rows) const;

 private:
  struct Scratch;

  Status BuildInPlace(const Assignment& assignment, size_t end, size_t& row,
                      Batch& batch, uint64_t& cut_rows) const;
  StatusOr<size_t> CountRows(const Batch& batch, size_t row, size_t end,
                             bool alone, Scratch& scratch) const;
  Status Read(size_t count, uint64_t epoch, Scratch& scratch) const;
  StatusOr<bool> BuildLong(const Assignment& assignment, size_t end,
                           size_t& row, Batch& batch, uint64_t& cut_rows,
                           Scratch& scratch) const;
  std::optional<uint64_t> TakeLong(const Assignment& assignment, size_t row,
                                   size_t end, Batch& batch,
                                   Scratch& scratch) const;
  Status CheckLength(const Piece& piece, uint32_t found) const;

  const std::shared_ptr<const Job> job_;
  const std::shared_ptr<const SourceRecords> files_;
  // Rows in memory that decoding would but copy.
  const std::optional<TableRows> in_place_;
  const LengthTable lengths_;
  const uint64_t rows_at_once_;
  const bool takes_long_;  // some values may go straight to their place

  mutable ScratchPool<Scratch> unused_;
};

}  // namespace penstock
