#include <algorithm>
#include <numeric>
#include <utility>

#include "pipeline/arrange/pack_arranger.h"
#include "pipeline/arrange/room_lists.h"

namespace penstock {
namespace {

// Records are gathered until they fill a window of rows. Those are packed, the
// longest record first, each where the least room is left. The fullest rows
// become batches; the records of the others go to the next window, where they
// meet more that may fit.
class BestFitArranger final : public PackArranger {
 public:
  explicit BestFitArranger(ArrangeOptions options)
      : PackArranger(std::move(options)), rooms_(length_) {}

  Arranged Add(std::span<const Row> rows, Assignment& out) override;
  bool FlushFull(Assignment& out) override;
  bool Flush(Assignment& out) override;
  uint64_t Drop() override;

  uint64_t held_rows() const override {
    return packed_.records() + loose_.size();
  }
  std::vector<HeldPiece> Held() const override;
  bool Load(std::span<const HeldPiece> held,
            std::span<const Row> rows) override;

  uint64_t MostHeldBytes() const override {
    return pack_.MostHeldBytes(pack_.window_rows + 1, options_);
  }
  uint64_t MostHeldPieces() const override {
    return (pack_.window_rows + 1) * pack_.max_segments;
  }

 private:
  void Push(const Row& row) {
    loose_.push_back(row);
    loose_values_ += row.length;
    Hold(row);
  }
  bool IsWindow() const {
    return loose_values_ >= pack_.window_rows * length_ ||
           loose_.size() >= pack_.window_rows * pack_.max_segments;
  }
  void SortByLength();
  void FillBins();
  void KeepFullest(size_t count);
  void Take(Assignment& out);
  bool PlaceReady(const HeldPiece& piece, const Row& row,
                  std::vector<PackedBin>& bins);

  std::vector<Row> loose_;  // in the order in which they came
  uint64_t loose_values_ = 0;
  size_t ready_bins_ = 0;  // for the next batches, in packed_

  // Of packing a window.
  RoomLists rooms_;
  std::vector<uint32_t> longest_first_;  // of loose_
  std::vector<uint32_t> ends_;           // [lengths]
  std::vector<uint32_t> bin_of_;         // [loose_]
  std::vector<PackedBin> bins_;
};

Arranged BestFitArranger::Add(std::span<const Row> rows, Assignment& out) {
  if (ready_bins_ > 0) {
    Take(out);
    return {.taken = 0, .due = true};
  }
  return AdmitRows(rows, fit_, counts_, [&](const Row& row) {
    Push(row);
    if (!IsWindow() && !IsOverfull()) return false;
    FillBins();
    if (IsOverfull()) {
      ++counts_.forced;
      KeepFullest(options_.rows);
    } else {
      // Of several batches the last is left, which is the emptiest.
      const size_t batches = bins_.size() / options_.rows;
      KeepFullest(std::max<size_t>(1, batches - 1) * options_.rows);
    }
    Take(out);
    return true;
  });
}

void BestFitArranger::SortByLength() {
  ends_.assign(length_ + 1, 0);
  for (const Row& row : loose_) ++ends_[length_ - row.length];
  std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
  longest_first_.resize(loose_.size());
  for (size_t i = loose_.size(); i > 0; --i) {
    longest_first_[--ends_[length_ - loose_[i - 1].length]] =
        static_cast<uint32_t>(i - 1);
  }
}

void BestFitArranger::FillBins() {
  SortByLength();
  rooms_.Clear();
  bins_.clear();
  bin_of_.resize(loose_.size());
  for (const uint32_t i : longest_first_) {
    const uint32_t length = loose_[i].length;
    size_t room = length;
    uint32_t number = rooms_.Take(room);
    if (number == RoomLists::kNone) {
      number = static_cast<uint32_t>(bins_.size());
      bins_.push_back({.first = i});
      room = length_;
    }
    bin_of_[i] = number;
    PackedBin& bin = bins_[number];
    bin.values += length;
    bin.first = std::min(bin.first, i);
    if (++bin.segments < pack_.max_segments) {
      rooms_.Put(number, room - length);
    }
  }
}

// The `count` fullest rows are ready, in the order in which the first of their
// records came; the others come apart.
void BestFitArranger::KeepFullest(size_t count) {
  count = std::min(count, bins_.size());
  const std::vector<uint32_t> slots = SlotsOfFullest(bins_, count);
  ready_bins_ = count;
  size_t left = 0;
  for (size_t i = 0; i < loose_.size(); ++i) {
    const uint32_t slot = slots[bin_of_[i]];
    if (slot == PackedRows::kStays) {
      loose_[left++] = loose_[i];
    } else {
      loose_values_ -= loose_[i].length;
      packed_.Add(loose_[i], slot);
    }
  }
  loose_.resize(left);
}

// A batch of the rows that are ready.
void BestFitArranger::Take(Assignment& out) {
  const size_t taken = std::min<size_t>(options_.rows, ready_bins_);
  std::vector<uint32_t> slots(ready_bins_, PackedRows::kStays);
  std::iota(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(taken),
            0);
  TakeRows(slots, taken, out);
  ready_bins_ -= taken;
}

bool BestFitArranger::FlushFull(Assignment& out) {
  if (ready_bins_ == 0) {
    FillBins();
    KeepFullest(bins_.size() / options_.rows * options_.rows);
  }
  if (ready_bins_ == 0) return false;
  Take(out);
  return true;
}

bool BestFitArranger::Flush(Assignment& out) {
  if (ready_bins_ == 0) {
    FillBins();
    KeepFullest(options_.rows);
  }
  if (ready_bins_ == 0) return false;
  Take(out);
  return true;
}

uint64_t BestFitArranger::Drop() {
  const uint64_t dropped = held_rows();
  packed_.Clear();
  ready_bins_ = 0;
  loose_.clear();
  loose_values_ = 0;
  held_bytes_ = 0;
  return dropped;
}

std::vector<HeldPiece> BestFitArranger::Held() const {
  std::vector<HeldPiece> held;
  held.reserve(held_rows());
  packed_.Hold(held);
  for (const Row& row : loose_) held.push_back({.record = row.record});
  return held;
}

bool BestFitArranger::PlaceReady(const HeldPiece& piece, const Row& row,
                                 std::vector<PackedBin>& bins) {
  const size_t number = size_t{piece.bin} - 1;
  if (number > 4 * pack_.window_rows) return false;
  if (number >= bins.size()) bins.resize(number + 1);
  PackedBin& bin = bins[number];
  bin.values += row.length;
  if (bin.values > length_ || ++bin.segments > pack_.max_segments) return false;
  packed_.Add(row, static_cast<uint32_t>(number));
  Hold(row);
  return true;
}

bool BestFitArranger::Load(std::span<const HeldPiece> held,
                           std::span<const Row> rows) {
  Drop();
  std::vector<PackedBin> bins;
  for (size_t i = 0; i < held.size(); ++i) {
    Row row = rows[i];
    if (held[i].begin != 0 || !fit_.AdmitAgain(row)) return false;
    if (held[i].bin == 0) {
      Push(row);
    } else if (!loose_.empty() || !PlaceReady(held[i], row, bins)) {
      return false;
    }
  }
  ready_bins_ = bins.size();
  const bool whole = std::ranges::all_of(
      bins, [](const PackedBin& bin) { return bin.segments > 0; });
  return whole && bins.size() % options_.rows == 0 && !IsOverfull();
}

}  // namespace

std::unique_ptr<Arranger> MakeBestFitArranger(ArrangeOptions options) {
  return std::make_unique<BestFitArranger>(std::move(options));
}

}  // namespace penstock
