#include <algorithm>
#include <cassert>
#include <utility>

#include "pipeline/arrange/arranger.h"
#include "pipeline/arrange/leftovers.h"
#include "pipeline/arrange/row_batch.h"
#include "pipeline/arrange/row_fit.h"

namespace penstock {
namespace {

class BucketArranger final : public Arranger {
 public:
  explicit BucketArranger(ArrangeOptions options)
      : options_(std::move(options)),
        fit_(options_.lengths, options_.too_long) {
    assert(options_.rows > 0);
    assert(options_.row_bytes.size() == options_.lengths.size());
    for (size_t queue = 0; queue < options_.lengths.size(); ++queue) {
      queues_.push_back({.full = options_.RowsOf(queue),
                         .row_bytes = options_.row_bytes[queue]});
    }
  }

  Arranged Add(std::span<const Row> rows, Assignment& out) override;
  bool Flush(Assignment& out) override;
  uint64_t Drop() override;

  uint64_t held_rows() const override { return held_rows_; }
  size_t queues() const override { return queues_.size(); }
  uint64_t held_rows_of(size_t queue) const override {
    return queues_[queue].rows.size();
  }
  // Not where leftovers of one queue may become rows of another's batch.
  bool places_at_once() const override { return !options_.merge_leftovers; }
  std::span<const Piece> WaitingOf(size_t queue) const override {
    return queues_[queue].rows;
  }
  uint64_t DropOf(size_t queue) override;
  bool FlushOf(std::span<const size_t> queues, Assignment& out) override;
  std::vector<HeldPiece> Held() const override;
  bool Load(std::span<const HeldPiece> held,
            std::span<const Row> rows) override;

  ArrangeCounts counts() const override { return counts_; }
  uint64_t MostHeldBytes() const override;
  uint64_t MostHeldPieces() const override {
    uint64_t pieces = 0;
    for (const Queue& queue : queues_) pieces += queue.full - 1;
    return pieces;
  }
  uint64_t MostPieces() const override { return options_.rows; }

 private:
  struct Queue {
    bool IsFull() const { return rows.size() == full; }
    uint64_t bytes() const { return rows.size() * row_bytes; }

    uint64_t full = 0;       // rows of a batch
    uint64_t row_bytes = 0;  // of each
    // As a batch has them: fewer than it has.
    std::vector<Piece> rows = {};
  };

  void Push(Queue& queue, const Row& row) {
    queue.rows.push_back(
        {.record = row.record, .tag = row.tag, .length = row.length});
    ++held_rows_;
    held_bytes_ += queue.row_bytes;
  }
  void Take(size_t queue, Assignment& out);
  size_t Fullest() const;

  const ArrangeOptions options_;
  const RowFit fit_;
  std::vector<Queue> queues_;
  uint64_t held_rows_ = 0;
  uint64_t held_bytes_ = 0;
  ArrangeCounts counts_;
};

Arranged BucketArranger::Add(std::span<const Row> rows, Assignment& out) {
  return AdmitRows(rows, fit_, counts_, [&](const Row& row) {
    const size_t shape = fit_.ShapeOf(row.length);
    Queue& queue = queues_[shape];
    Push(queue, row);
    if (queue.IsFull()) {
      Take(shape, out);
      return true;
    }
    if (held_bytes_ <= options_.held_bytes) return false;
    ++counts_.forced;
    Take(Fullest(), out);
    return true;
  });
}

bool BucketArranger::Flush(Assignment& out) {
  for (size_t queue = 0; queue < queues_.size(); ++queue) {
    if (queues_[queue].rows.empty()) continue;
    Take(queue, out);
    return true;
  }
  return false;
}

// The queue goes on with the memory that `out` had.
void BucketArranger::Take(size_t queue, Assignment& out) {
  out.pieces.swap(queues_[queue].rows);
  held_rows_ -= out.pieces.size();
  held_bytes_ -= out.pieces.size() * queues_[queue].row_bytes;
  queues_[queue].rows.clear();
  queues_[queue].rows.reserve(queues_[queue].full);
  AssignWholeRows(queue, queues_[queue].full, out);
}

uint64_t BucketArranger::DropOf(size_t queue) {
  const uint64_t dropped = queues_[queue].rows.size();
  held_rows_ -= dropped;
  held_bytes_ -= queues_[queue].bytes();
  queues_[queue].rows.clear();
  return dropped;
}

// What is merged is found again at every batch, so that rows wait where their
// lengths have them, in states too: those that are flushed leave the others'
// places as they were.
bool BucketArranger::FlushOf(std::span<const size_t> queues, Assignment& out) {
  std::vector<uint64_t> left(queues_.size());
  for (size_t queue = 0; queue < left.size(); ++queue) {
    left[queue] = queues_[queue].rows.size();
  }
  const std::vector<size_t> into =
      MergeLeftovers(std::move(left), queues, options_);
  for (const size_t queue : queues) {
    if (queues_[queue].rows.empty() || into[queue] != queue) continue;
    Take(queue, out);
    for (const size_t other : queues) {
      if (other == queue || into[other] != queue) continue;
      const std::vector<Piece>& rows = queues_[other].rows;
      out.pieces.insert(out.pieces.end(), rows.begin(), rows.end());
      DropOf(other);
    }
    AssignWholeRows(queue, queues_[queue].full, out);
    return true;
  }
  return false;
}

// The first of those that hold the most bytes.
size_t BucketArranger::Fullest() const {
  size_t fullest = 0;
  for (size_t queue = 1; queue < queues_.size(); ++queue) {
    if (queues_[queue].bytes() > queues_[fullest].bytes()) fullest = queue;
  }
  return fullest;
}

uint64_t BucketArranger::Drop() {
  for (Queue& queue : queues_) queue.rows.clear();
  held_bytes_ = 0;
  return std::exchange(held_rows_, 0);
}

std::vector<HeldPiece> BucketArranger::Held() const {
  std::vector<HeldPiece> held(held_rows_);
  auto next = held.begin();
  for (const Queue& queue : queues_) {
    for (const Piece& row : queue.rows) next++->record = row.record;
  }
  return held;
}

bool BucketArranger::Load(std::span<const HeldPiece> held,
                          std::span<const Row> rows) {
  Drop();
  size_t last = 0;
  for (size_t i = 0; i < held.size(); ++i) {
    Row row = rows[i];
    if (!fit_.AdmitAgain(row)) return false;
    const size_t queue = fit_.ShapeOf(row.length);
    if (queue < last || held[i].begin != 0 || held[i].bin != 0) return false;
    last = queue;
    Push(queues_[queue], row);
    if (queues_[queue].IsFull()) return false;
  }
  return held_bytes_ <= options_.held_bytes;
}

uint64_t BucketArranger::MostHeldBytes() const {
  uint64_t bytes = 0;
  uint64_t largest = 0;
  for (const Queue& queue : queues_) {
    bytes += (queue.full - 1) * queue.row_bytes;
    largest = std::max(largest, queue.row_bytes);
  }
  // The row that passes the limit is held for a moment.
  return options_.held_bytes < bytes ? options_.held_bytes + largest : bytes;
}

}  // namespace

std::unique_ptr<Arranger> MakeBucketArranger(ArrangeOptions options) {
  return std::make_unique<BucketArranger>(std::move(options));
}

}  // namespace penstock
