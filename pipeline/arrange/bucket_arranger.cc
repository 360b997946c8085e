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
        fit_(options_.lengths, options_.too_long),
        queues_(options_.lengths.size()) {
    assert(options_.rows > 0);
    assert(options_.row_bytes.size() == options_.lengths.size());
  }

  Arranged Add(std::span<const Row> rows, Assignment& out) override;
  bool Flush(Assignment& out) override;
  uint64_t Drop() override;

  uint64_t held_rows() const override { return held_rows_; }
  size_t queues() const override { return queues_.size(); }
  uint64_t held_rows_of(size_t queue) const override {
    return queues_[queue].size();
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
    for (size_t queue = 0; queue < queues_.size(); ++queue) {
      pieces += options_.RowsOf(queue) - 1;
    }
    return pieces;
  }
  uint64_t MostPieces() const override { return options_.rows; }

 private:
  void Push(size_t queue, Row row) {
    queues_[queue].push_back(row);
    ++held_rows_;
    held_bytes_ += options_.row_bytes[queue];
  }
  void Take(size_t queue, Assignment& out);
  size_t Fullest() const;

  const ArrangeOptions options_;
  const RowFit fit_;
  std::vector<std::vector<Row>> queues_;  // each of less than a batch
  uint64_t held_rows_ = 0;
  uint64_t held_bytes_ = 0;
  ArrangeCounts counts_;
};

Arranged BucketArranger::Add(std::span<const Row> rows, Assignment& out) {
  return AdmitRows(rows, fit_, counts_, [&](const Row& row) {
    const size_t queue = fit_.ShapeOf(row.length);
    Push(queue, row);
    if (queues_[queue].size() == options_.RowsOf(queue)) {
      Take(queue, out);
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
    if (queues_[queue].empty()) continue;
    Take(queue, out);
    return true;
  }
  return false;
}

void BucketArranger::Take(size_t queue, Assignment& out) {
  std::vector<Row>& rows = queues_[queue];
  held_rows_ -= rows.size();
  held_bytes_ -= rows.size() * options_.row_bytes[queue];
  AssignWholeRows(rows, queue, options_.RowsOf(queue), out);
  rows.clear();
}

uint64_t BucketArranger::DropOf(size_t queue) {
  const uint64_t dropped = queues_[queue].size();
  held_rows_ -= dropped;
  held_bytes_ -= dropped * options_.row_bytes[queue];
  queues_[queue].clear();
  return dropped;
}

// What is merged is found again at every batch, so that rows wait where their
// lengths have them, in states too: those that are flushed leave the others'
// places as they were.
bool BucketArranger::FlushOf(std::span<const size_t> queues, Assignment& out) {
  std::vector<uint64_t> left(queues_.size());
  for (size_t queue = 0; queue < left.size(); ++queue) {
    left[queue] = queues_[queue].size();
  }
  const std::vector<size_t> into =
      MergeLeftovers(std::move(left), queues, options_);
  for (const size_t queue : queues) {
    if (queues_[queue].empty() || into[queue] != queue) continue;
    std::vector<Row> rows = queues_[queue];
    DropOf(queue);
    for (const size_t other : queues) {
      if (other == queue || into[other] != queue) continue;
      rows.insert(rows.end(), queues_[other].begin(), queues_[other].end());
      DropOf(other);
    }
    AssignWholeRows(rows, queue, options_.RowsOf(queue), out);
    return true;
  }
  return false;
}

// The first of those that hold the most bytes.
size_t BucketArranger::Fullest() const {
  size_t fullest = 0;
  for (size_t queue = 1; queue < queues_.size(); ++queue) {
    if (queues_[queue].size() * options_.row_bytes[queue] >
        queues_[fullest].size() * options_.row_bytes[fullest]) {
      fullest = queue;
    }
  }
  return fullest;
}

uint64_t BucketArranger::Drop() {
  for (std::vector<Row>& queue : queues_) queue.clear();
  held_bytes_ = 0;
  return std::exchange(held_rows_, 0);
}

std::vector<HeldPiece> BucketArranger::Held() const {
  std::vector<HeldPiece> held;
  held.reserve(held_rows_);
  for (const std::vector<Row>& queue : queues_) {
    for (const Row& row : queue) held.push_back({.record = row.record});
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
    Push(queue, row);
    if (queues_[queue].size() == options_.RowsOf(queue)) return false;
  }
  return held_bytes_ <= options_.held_bytes;
}

uint64_t BucketArranger::MostHeldBytes() const {
  uint64_t bytes = 0;
  uint64_t largest = 0;
  for (size_t queue = 0; queue < queues_.size(); ++queue) {
    const uint64_t row = options_.row_bytes[queue];
    bytes += (options_.RowsOf(queue) - 1) * row;
    largest = std::max(largest, row);
  }
  // The row that passes the limit is held for a moment.
  return options_.held_bytes < bytes ? options_.held_bytes + largest : bytes;
}

}  // namespace

std::unique_ptr<Arranger> MakeBucketArranger(ArrangeOptions options) {
  return std::make_unique<BucketArranger>(std::move(options));
}

}  // namespace penstock
