#include <algorithm>
#include <utility>

#include "pipeline/arrange/pack_arranger.h"
#include "pipeline/arrange/room_tree.h"

namespace penstock {
namespace {

class FirstFitArranger final : public PackArranger {
 public:
  explicit FirstFitArranger(ArrangeOptions options)
      : PackArranger(std::move(options)), rooms_(NoRooms()) {}

  Arranged Add(std::span<const Row> rows, Assignment& out) override;
  bool FlushFull(Assignment& out) override;
  bool Flush(Assignment& out) override;
  uint64_t Drop() override;

  uint64_t held_rows() const override { return packed_.records(); }
  std::vector<HeldPiece> Held() const override;
  bool Load(std::span<const HeldPiece> held,
            std::span<const Row> rows) override;

  uint64_t MostHeldBytes() const override {
    return pack_.MostHeldBytes(pack_.window_rows, options_);
  }
  uint64_t MostHeldPieces() const override {
    return pack_.window_rows * pack_.max_segments;
  }

 private:
  RoomTree NoRooms() const {
    return {pack_.window_rows, static_cast<int32_t>(length_)};
  }
  int32_t RoomOf(const PackedBin& open) const {
    return open.segments < pack_.max_segments
               ? static_cast<int32_t>(length_ - open.values)
               : -1;
  }
  bool Put(const Row& row);
  void PutInto(size_t bin, const Row& row);
  void Take(Assignment& out);

  std::vector<PackedBin> open_;  // up to pack_.window_rows
  RoomTree rooms_;               // of those, and of the empty ones behind them
};

Arranged FirstFitArranger::Add(std::span<const Row> rows, Assignment& out) {
  // What had no room in the rows before may hold more than they gave up.
  if (IsOverfull()) {
    ++counts_.forced;
    Take(out);
    return {.taken = 0, .due = true};
  }
  return AdmitRows(rows, fit_, counts_, [&](const Row& row) {
    if (!Put(row)) {
      Take(out);
      Put(row);
      return true;
    }
    if (!IsOverfull()) return false;
    ++counts_.forced;
    Take(out);
    return true;
  });
}

bool FirstFitArranger::Put(const Row& row) {
  const size_t bin = rooms_.First(static_cast<int32_t>(row.length));
  if (bin == RoomTree::kNone) return false;
  PutInto(bin, row);
  return true;
}

void FirstFitArranger::PutInto(size_t bin, const Row& row) {
  if (bin == open_.size()) {
    open_.push_back({.first = static_cast<uint32_t>(bin)});
  }
  PackedBin& open = open_[bin];
  open.values += row.length;
  ++open.segments;
  rooms_.Set(bin, RoomOf(open));
  packed_.Add(row, static_cast<uint32_t>(bin));
  Hold(row);
}

// The fullest rows become a batch, in the order in which they were opened.
void FirstFitArranger::Take(Assignment& out) {
  const size_t taken = std::min<size_t>(options_.rows, open_.size());
  const std::vector<uint32_t> slots = SlotsOfFullest(open_, taken);
  TakeRows(slots, taken, out);
  uint32_t left = 0;
  for (size_t bin = 0; bin < open_.size(); ++bin) {
    if (slots[bin] != PackedRows::kStays) continue;
    open_[left] = open_[bin];
    open_[left].first = left;
    ++left;
  }
  open_.resize(left);
  rooms_ = NoRooms();
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
  rooms_ = NoRooms();
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
    const PackedBin open = bin < open_.size() ? open_[bin] : PackedBin();
    if (RoomOf(open) < static_cast<int32_t>(row.length)) return false;
    PutInto(bin, row);
  }
  // Past the limit by one record at most.
  return !IsOverfull() ||
         held_bytes_ - options_.held_bytes <= pack_.BytesOf(length_);
}

}  // namespace

std::unique_ptr<Arranger> MakeFirstFitArranger(ArrangeOptions options) {
  return std::make_unique<FirstFitArranger>(std::move(options));
}

}  // namespace penstock
