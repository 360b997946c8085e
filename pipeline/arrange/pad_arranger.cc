#include <algorithm>
#include <cassert>
#include <utility>

#include "pipeline/arrange/arranger.h"
#include "pipeline/arrange/row_batch.h"
#include "pipeline/arrange/row_fit.h"

namespace penstock {
namespace {

class PadArranger final : public Arranger {
 public:
  explicit PadArranger(ArrangeOptions options)
      : options_(std::move(options)),
        fit_(options_.lengths, options_.too_long) {
    assert(options_.rows > 0);
  }

  Arranged Add(std::span<const Row> rows, Assignment& out) override;
  bool Flush(Assignment& out) override;
  uint64_t Drop() override {
    const uint64_t dropped = rows_.size();
    rows_.clear();
    return dropped;
  }

  uint64_t held_rows() const override { return rows_.size(); }
  // Not where the longest row of a batch gives it its shape.
  bool places_at_once() const override { return options_.lengths.size() == 1; }
  std::span<const Piece> WaitingOf(size_t) const override { return rows_; }
  std::vector<HeldPiece> Held() const override;
  bool Load(std::span<const HeldPiece> held,
            std::span<const Row> rows) override;

  ArrangeCounts counts() const override { return counts_; }
  uint64_t MostHeldBytes() const override {
    const uint64_t most = (options_.rows - 1) * RowBytes();
    // The row that passes the limit is held for a moment.
    return options_.held_bytes < most ? options_.held_bytes + RowBytes() : most;
  }
  uint64_t MostHeldPieces() const override { return options_.rows - 1; }
  uint64_t MostPieces() const override { return options_.rows; }

 private:
  uint64_t RowBytes() const { return options_.row_bytes.back(); }
  void Push(const Row& row) {
    rows_.push_back(
        {.record = row.record, .tag = row.tag, .length = row.length});
  }
  void Take(Assignment& out);

  const ArrangeOptions options_;
  const RowFit fit_;
  std::vector<Piece> rows_;  // as a batch has them, fewer than options_.rows
  ArrangeCounts counts_;
};

Arranged PadArranger::Add(std::span<const Row> rows, Assignment& out) {
  return AdmitRows(rows, fit_, counts_, [&](const Row& row) {
    Push(row);
    const bool full = rows_.size() == options_.rows;
    // A row may turn out to need the longest length.
    const bool no_room =
        !full && rows_.size() * RowBytes() > options_.held_bytes;
    if (!full && !no_room) return false;
    if (no_room) ++counts_.forced;
    Take(out);
    return true;
  });
}

void PadArranger::Take(Assignment& out) {
  uint32_t longest = 0;
  for (const Piece& row : rows_) longest = std::max(longest, row.length);
  out.pieces.swap(rows_);
  rows_.clear();
  rows_.reserve(options_.rows);
  AssignWholeRows(fit_.ShapeOf(longest), options_.rows, out);
}

bool PadArranger::Flush(Assignment& out) {
  if (rows_.empty()) return false;
  Take(out);
  return true;
}

std::vector<HeldPiece> PadArranger::Held() const {
  std::vector<HeldPiece> held;
  held.reserve(rows_.size());
  for (const Piece& row : rows_) held.push_back({.record = row.record});
  return held;
}

bool PadArranger::Load(std::span<const HeldPiece> held,
                       std::span<const Row> rows) {
  rows_.clear();
  if (held.size() >= options_.rows) return false;
  for (size_t i = 0; i < held.size(); ++i) {
    Row row = rows[i];
    if (held[i].begin != 0 || held[i].bin != 0) return false;
    if (!fit_.AdmitAgain(row)) return false;
    Push(row);
  }
  return true;
}

}  // namespace

std::unique_ptr<Arranger> MakePadArranger(ArrangeOptions options) {
  return std::make_unique<PadArranger>(std::move(options));
}

}  // namespace penstock
