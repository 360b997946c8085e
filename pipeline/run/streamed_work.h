// One batch of a streamed run: its rows are decoded, and go to their places.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pipeline/build/batch_ring.h"
#include "pipeline/build/row_store.h"
#include "pipeline/build/rows.h"
#include "pipeline/read/rounds.h"
#include "pipeline/run/job.h"
#include "pipeline/run/row_exchange.h"

namespace penstock {

// A row that goes to its place before its batch is known whole, as one piece.
// Small, as one thread writes it and another reads it: they may share no cache.
struct EarlyRow {
  const Examples* examples = nullptr;  // null: it waits for the batch
  uint64_t record = 0;
  uint32_t row = 0;  // of the examples
  uint32_t length = 0;
};

// Rows of a batch that follow each other.
struct EarlyRows {
  size_t begin = 0;  // among the rows that this host feeds
  std::vector<EarlyRow> rows;
  RowOwners owners;
};

// Threads: Early() and Complete() from one, while others build parts.
class StreamedWork final : public BatchWork {
 public:
  StreamedWork(std::shared_ptr<const Job> job,
               std::shared_ptr<const RoundSource> source, size_t shape,
               uint64_t epoch);

  // The rows that one part places, at most.
  size_t rows_of_part() const { return rows_of_part_; }

  // A part that places rows which come behind all those before, to be built
  // while this is there.
  BatchRing::Part Early(EarlyRows rows);
  // The batch is `fed`'s, and its parts place the rows that are left. Once.
  void Complete(FedStep fed);

  size_t parts() const override {
    return (rows_ - first_left_ + rows_of_part_ - 1) / rows_of_part_;
  }
  Status Begin() override { return job_->GiveMemory(batch); }
  StatusOr<bool> BuildPart(size_t part, bool alone) override;

 private:
  Status PlaceEarly(const EarlyRows& early);
  Status PlaceLeft(size_t begin, size_t end);
  std::string WhereIs(uint64_t id) const {
    return source_->Locate(job_->row_ids.RecordOf(id));
  }

  const std::shared_ptr<const Job> job_;
  const std::shared_ptr<const RoundSource> source_;
  const size_t rows_;
  size_t rows_of_part_ = 1;
  size_t first_left_ = 0;  // the first row that was not early
  FedStep fed_;
  std::atomic<size_t> parts_left_ = 0;  // of those that use it
};

}  // namespace penstock
