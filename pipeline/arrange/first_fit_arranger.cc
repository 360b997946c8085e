#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "pipeline/arrange/arranger.h"
#include "pipeline/arrange/packed_rows.h"
#include "pipeline/arrange/room_tree.h"
#include "pipeline/arrange/row_fit.h"

namespace penstock {
namespace {

class FirstFitArranger final : public Arranger {
 public:
  explicit FirstFitArranger(ArrangeOptions options)
      : options_(std::move(options)),
        pack_(*options_.pack),
        length_(static_cast<int32_t>(options_.lengths.back())),
        fit_(options_.lengths, options_.too_long),
        rooms_(pack_.window_rows, length_) {
    assert(options_.rows > 0 && pack_.window_rows >= options_.rows);
  }

  Arranged Add(std::span<const Row> rows, Assignment& out) override;
  bool FlushFull(Assignment& out) override;
  bool Flush(Assignment& out) override;
  uint64_t Drop() override;

  uint64_t held_rows() const override { return packed_.records(); }
  std::vector<HeldPiece> Held() const override;
  bool Load(std::span<const HeldPiece> held,
            std::span<const Row> rows) override;

  ArrangeCounts counts() const override { return counts_; }
  uint64_t MostHeldBytes() const override {
    return pack_.MostHeldBytes(pack_.window_rows, options_);
  }
  uint64_t MostHeldPieces() const override {
    return pack_.window_rows * pack_.max_segments;
  }
  uint64_t MostPieces() const override {
    return options_.rows * pack_.max_segments;
  }

 private:
  // A row that records were put into.
  struct Open {
    int32_t values = 0;
    uint64_t segments = 0;
  };

  int32_t RoomOf(const Open& open) const {
    return open.segments < pack_.max_segments ? length_ - open.values : -1;
  }
  bool Put(const Row& row);
  void PutInto(size_t bin, const Row& row);
  void Take(Assignment& out);

  const ArrangeOptions options_;
  const PackRule pack_;
  const int32_t length_;
  const RowFit fit_;
  std::vector<Open> open_;  // up to pack_.window_rows
  RoomTree rooms_;          // of those, and of the empty ones behind them
  PackedRows packed_;
  uint64_t held_bytes_ = 0;
  ArrangeCounts counts_;
};

Arranged FirstFitArranger::Add(std::span<const Row> rows, Assignment& out) {
  for (size_t i = 0; i < rows.size(); ++i) {
    Row row = rows[i];
    const Admission admission = fit_.Admit(row, counts_);
    if (admission == Admission::kDropped) continue;
    if (admission == Admission::kRefused) {
      return {.taken = i, .too_long = true};
    }
    if (!Put(row)) {
      Take(out);
      Put(row);
      return {.taken = i + 1, .due = true};
    }
    if (held_bytes_ > options_.held_bytes) {
      ++counts_.forced;
      Take(out);
      return {.taken = i + 1, .due = true};
    }
  }
  return {.taken = rows.size()};
}

bool FirstFitArranger::Put(const Row& row) {
  const size_t bin = rooms_.First(static_cast<int32_t>(row.length));
  if (bin == RoomTree::kNone) return false;
  PutInto(bin, row);
  return true;
}

void FirstFitArranger::PutInto(size_t bin, const Row& row) {
  if (bin == open_.size()) open_.emplace_back();
  Open& open = open_[bin];
  open.values += static_cast<int32_t>(row.length);
  ++open.segments;
  rooms_.Set(bin, RoomOf(open));
  packed_.Add(row, static_cast<uint32_t>(bin));
  held_bytes_ += pack_.BytesOf(row.length);
}

// The fullest rows become a batch, in the order in which they were opened.
void FirstFitArranger::Take(Assignment& out) {
  const size_t taken = std::min<size_t>(options_.rows, open_.size());
  std::vector<uint32_t> fullest(open_.size());
  std::iota(fullest.begin(), fullest.end(), 0);
  const auto end = fullest.begin() + static_cast<std::ptrdiff_t>(taken);
  if (taken < fullest.size()) {
    std::nth_element(fullest.begin(), end, fullest.end(),
                     [&](uint32_t a, uint32_t b) {
                       return open_[a].values != open_[b].values
                                  ? open_[a].values > open_[b].values
                                  : a < b;
                     });
  }
  std::sort(fullest.begin(), end);
  std::vector<uint32_t> slots(open_.size(), PackedRows::kStays);
  for (size_t slot = 0; slot < taken; ++slot) {
    slots[fullest[slot]] = static_cast<uint32_t>(slot);
  }
  packed_.Take(slots, taken, options_.rows, out);
  for (const Piece& piece : out.pieces) {
    held_bytes_ -= pack_.BytesOf(piece.length);
  }
  size_t left = 0;
  for (size_t bin = 0; bin < open_.size(); ++bin) {
    if (slots[bin] == PackedRows::kStays) open_[left++] = open_[bin];
  }
  open_.resize(left);
  rooms_ = RoomTree(pack_.window_rows, length_);
  for (size_t bin = 0; bin < left; ++bin) rooms_.Set(bin, RoomOf(open_[bin]));
}

bool FirstFitArranger::FlushFull(Assignment& out) {
  if (open_.size() < options_.rows) return false;
  Take(out);
  return true;
}

bool FirstFitArranger::Flush(Assignment& out) {
  if (open_.empty()) return false;
  Take(out);
  return true;
}

uint64_t FirstFitArranger::Drop() {
  const uint64_t dropped = packed_.records();
  packed_.Clear();
  open_.clear();
  held_bytes_ = 0;
  rooms_ = RoomTree(pack_.window_rows, length_);
  return dropped;
}

std::vector<HeldPiece> FirstFitArranger::Held() const {
  std::vector<HeldPiece> held;
  held.reserve(packed_.records());
  packed_.Hold(held);
  return held;
}

bool FirstFitArranger::Load(std::span<const HeldPiece> held,
                            std::span<const Row> rows) {
  Drop();
  for (size_t i = 0; i < held.size(); ++i) {
    Row row = rows[i];
    const size_t bin = size_t{held[i].bin} - 1;
    if (held[i].bin == 0 || held[i].begin != 0) return false;
    if (bin > open_.size() || bin >= pack_.window_rows) return false;
    if (!fit_.AdmitAgain(row)) return false;
    const Open open = bin < open_.size() ? open_[bin] : Open();
    if (RoomOf(open) < static_cast<int32_t>(row.length)) return false;
    PutInto(bin, row);
  }
  return held_bytes_ <= options_.held_bytes;
}

}  // namespace

std::unique_ptr<Arranger> MakeFirstFitArranger(ArrangeOptions options) {
  return std::make_unique<FirstFitArranger>(std::move(options));
}

}  // namespace penstock
