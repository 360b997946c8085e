// The one arranger: rows in, assignments out. Arithmetic on (number, length);
// it never touches data. plan.h runs it before any data is read, streamed.h
// after decoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "pipeline/dataset.h"

namespace penstock {

// A row to be put into a batch. `number` is its record id where planned, its
// position in the epoch where streamed.
struct Row {
  uint64_t number = 0;
  uint32_t length = 0;
};

// Which rows make one batch, in which shape.
struct Assignment {
  size_t shape = 0;  // number of its length in Contract::lengths
  size_t queue = 0;  // the arranger's queue that the rows came from
  // [shards * rows_per_shard], shard after shard, the real rows of each first;
  // kNoRecord for rows that pad.
  std::vector<uint64_t> rows;
  uint64_t real_rows = 0;
};

struct ArrangeOptions {
  uint32_t shards = 1;
  uint64_t rows_per_shard = 1;
  // Rising. A row fits a length that is no less than its own.
  std::vector<int64_t> lengths = {0};
  // All rows wait in one queue, in order, and a batch is as long as its longest
  // row needs (Pad). Otherwise each length has a queue of its own (Bucket).
  bool one_queue = false;
  TooLong too_long = TooLong::kError;
  // Rows that wait in one shard, at most: past it the fullest queue becomes a
  // batch with padding, so that memory stays bounded whatever the lengths are.
  uint64_t row_limit = std::numeric_limits<uint64_t>::max();

  size_t queues() const { return one_queue ? 1 : lengths.size(); }
};

enum class Placing { kTaken, kTruncated, kDropped, kTooLong };

// Threads: one at a time.
// Cost:    O(1) a row, amortised; memory for the rows that wait.
class Arranger {
 public:
  explicit Arranger(ArrangeOptions options);

  // Puts the row into its queue; kDropped and kTooLong leave it out. Then ask
  // Due() before the next row: so what comes out depends on nothing but the
  // order of the rows, and at most one batch is due at a time.
  Placing Add(uint32_t shard, Row row);

  // The queue that a row of `length` goes to, unless it is too long.
  std::optional<size_t> QueueOf(uint32_t length) const;

  // The batch that the last row completed: the one whose queue now has
  // rows_per_shard rows in every shard; or the fullest, over the row limit.
  bool Due(Assignment& out);

  // At the end of an epoch: the next queue with rows, rising, padded.
  bool Flush(Assignment& out);

  // Rows that wait, and their numbers, rising.
  uint64_t pending_rows() const { return pending_rows_; }
  std::vector<uint64_t> PendingNumbers() const;
  // Forgets the rows that wait.
  void Clear();

 private:
  // First in, first out, without an allocation for each row.
  class Fifo {
   public:
    size_t size() const { return rows_.size() - head_; }
    const Row& operator[](size_t i) const { return rows_[head_ + i]; }
    void Push(Row row) { rows_.push_back(row); }
    void Pop(size_t count);
    void Clear();

   private:
    std::vector<Row> rows_;
    size_t head_ = 0;
  };

  Fifo& At(size_t queue, uint32_t shard) {
    return fifos_[queue * options_.shards + shard];
  }
  const Fifo& At(size_t queue, uint32_t shard) const {
    return fifos_[queue * options_.shards + shard];
  }
  void Take(size_t queue, Assignment& out);

  const ArrangeOptions options_;
  const size_t queues_;
  std::vector<Fifo> fifos_;           // [queues, shards]
  std::vector<uint32_t> full_;        // [queues]: shards with enough rows
  std::vector<uint64_t> queue_rows_;  // [queues]
  std::vector<uint64_t> shard_rows_;  // [shards]
  uint64_t pending_rows_ = 0;
  size_t last_queue_ = 0;  // of the last Add()
  uint32_t last_shard_ = 0;
  bool added_ = false;
};

}  // namespace penstock
