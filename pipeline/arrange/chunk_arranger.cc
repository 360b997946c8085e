#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "pipeline/arrange/arranger.h"

namespace penstock {
namespace {

// Records follow each other; where a row is full it ends, in the middle of a
// record or not, and the next one goes on there.
class ChunkArranger final : public Arranger {
 public:
  explicit ChunkArranger(ArrangeOptions options)
      : options_(std::move(options)),
        pack_(*options_.pack),
        length_(static_cast<uint32_t>(options_.lengths.back())) {
    assert(options_.rows > 0);
  }

  Arranged Add(std::span<const Row> rows, Assignment& out) override;
  bool FlushFull(Assignment& out) override;
  bool Flush(Assignment& out) override;
  uint64_t Drop() override;

  uint64_t held_rows() const override { return ended_ + (tail_ ? 1 : 0); }
  std::vector<HeldPiece> Held() const override;
  bool Load(std::span<const HeldPiece> held,
            std::span<const Row> rows) override;

  ArrangeCounts counts() const override { return counts_; }
  uint64_t MostHeldBytes() const override {
    return pack_.MostHeldBytes(options_.rows, options_);
  }
  uint64_t MostHeldPieces() const override {
    return options_.rows * pack_.max_segments + 1;
  }
  uint64_t MostPieces() const override {
    return options_.rows * pack_.max_segments;
  }

 private:
  // A record that is to be cut on, once there is a new batch.
  struct Tail {
    Row row;
    uint32_t begin = 0;
  };

  bool IsFull() const { return ends_.size() == options_.rows; }
  void Put(const Row& row, uint32_t begin);
  uint32_t PutPiece(const Row& row, uint32_t begin);
  void CloseRow() {
    ends_.push_back(static_cast<uint32_t>(pieces_.size()));
    values_ = 0;
    segments_ = 0;
  }
  void Take(Assignment& out);

  const ArrangeOptions options_;
  const PackRule pack_;
  const uint32_t length_;
  std::vector<Piece> pieces_;
  std::vector<uint32_t> ends_;  // of rows that are full, in pieces_
  uint32_t values_ = 0;         // of the row that is not
  uint64_t segments_ = 0;
  uint64_t ended_ = 0;  // records whose last piece is in pieces_
  uint64_t held_bytes_ = 0;
  std::optional<Tail> tail_;
  ArrangeCounts counts_;
};

Arranged ChunkArranger::Add(std::span<const Row> rows, Assignment& out) {
  if (FlushFull(out)) return {.taken = 0, .due = true};
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].length == kLeftOut) {
      ++counts_.dropped;
      continue;
    }
    Put(rows[i], rows[i].begin);
    const bool no_room = !IsFull() && held_bytes_ > options_.held_bytes;
    if (!IsFull() && !no_room) continue;
    if (no_room) ++counts_.forced;
    Take(out);
    return {.taken = i + 1, .due = true};
  }
  return {.taken = rows.size()};
}

void ChunkArranger::Put(const Row& row, uint32_t begin) {
  do {
    if (IsFull()) {
      tail_ = {row, begin};
      return;
    }
    begin = PutPiece(row, begin);
  } while (begin < row.length);
}

// Returns where the next piece of the record begins.
uint32_t ChunkArranger::PutPiece(const Row& row, uint32_t begin) {
  const uint32_t taken = std::min(length_ - values_, row.length - begin);
  const bool last = begin + taken == row.length;
  pieces_.push_back({.record = row.record,
                     .tag = row.tag,
                     .begin = begin,
                     .length = taken,
                     .place = values_,
                     .last = last});
  if (last) ++ended_;
  held_bytes_ += pack_.BytesOf(taken);
  values_ += taken;
  ++segments_;
  if (values_ == length_ || segments_ == pack_.max_segments) CloseRow();
  return begin + taken;
}

void ChunkArranger::Take(Assignment& out) {
  if (segments_ > 0) CloseRow();
  out.shape = 0;
  out.real_rows = ends_.size();
  out.row_offsets.assign(1, 0);
  out.row_offsets.insert(out.row_offsets.end(), ends_.begin(), ends_.end());
  out.row_offsets.resize(options_.rows + 1, ends_.back());
  out.pieces.clear();
  out.pieces.swap(pieces_);
  ends_.clear();
  ended_ = 0;
  held_bytes_ = 0;
}

bool ChunkArranger::FlushFull(Assignment& out) {
  if (tail_) {
    const Tail tail = *std::exchange(tail_, std::nullopt);
    Put(tail.row, tail.begin);
  }
  if (!IsFull()) return false;
  Take(out);
  return true;
}

bool ChunkArranger::Flush(Assignment& out) {
  if (FlushFull(out)) return true;
  if (pieces_.empty()) return false;
  Take(out);
  return true;
}

uint64_t ChunkArranger::Drop() {
  const uint64_t dropped = held_rows();
  pieces_.clear();
  ends_.clear();
  values_ = 0;
  segments_ = 0;
  ended_ = 0;
  held_bytes_ = 0;
  tail_.reset();
  return dropped;
}

std::vector<HeldPiece> ChunkArranger::Held() const {
  std::vector<HeldPiece> held;
  held.reserve(pieces_.size() + 1);
  uint32_t bin = 1;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    if (bin <= ends_.size() && ends_[bin - 1] == i) ++bin;
    held.push_back(
        {.record = pieces_[i].record, .begin = pieces_[i].begin, .bin = bin});
  }
  if (tail_) held.push_back({tail_->row.record, tail_->begin, 0});
  return held;
}

bool ChunkArranger::Load(std::span<const HeldPiece> held,
                         std::span<const Row> rows) {
  Drop();
  for (size_t i = 0; i < held.size(); ++i) {
    const HeldPiece& piece = held[i];
    const bool begins = pieces_.empty() || pieces_.back().last;
    // Only the first of them may have begun in a batch before.
    if (begins
            ? i > 0 && piece.begin > 0
            : piece.record != pieces_.back().record ||
                  piece.begin != pieces_.back().begin + pieces_.back().length) {
      return false;
    }
    if (rows[i].length == kLeftOut) return false;
    if (piece.begin > 0 && piece.begin >= rows[i].length) return false;
    if (piece.bin == 0) {
      if (held.size() > 1) return false;
      tail_ = {rows[i], piece.begin};
      return true;
    }
    if (piece.bin != ends_.size() + 1) return false;
    PutPiece(rows[i], piece.begin);
    if (IsFull()) return false;
  }
  return (pieces_.empty() || pieces_.back().last) &&
         held_bytes_ <= options_.held_bytes;
}

}  // namespace

std::unique_ptr<Arranger> MakeChunkArranger(ArrangeOptions options) {
  return std::make_unique<ChunkArranger>(std::move(options));
}

}  // namespace penstock
