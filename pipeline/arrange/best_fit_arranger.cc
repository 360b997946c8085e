#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "pipeline/arrange/arranger.h"
#include "pipeline/arrange/packed_rows.h"
#include "pipeline/arrange/room_lists.h"
#include "pipeline/arrange/row_fit.h"

namespace penstock {
namespace {

// Records are gathered until they fill a window of rows. Those are packed, the
// longest record first, each where the least room is left. The fullest rows
// become batches; the records of the others go to the next window, where they
// meet more that may fit.
class BestFitArranger final : public Arranger {
 public:
  explicit BestFitArranger(ArrangeOptions options)
      : options_(std::move(options)),
        pack_(*options_.pack),
        length_(static_cast<uint64_t>(options_.lengths.back())),
        fit_(options_.lengths, options_.too_long),
        rooms_(length_) {
    assert(options_.rows > 0 && pack_.window_rows >= options_.rows);
  }

  Arranged Add(std::span<const Row> rows, Assignment& out) override;
  bool FlushFull(Assignment& out) override;
  bool Flush(Assignment& out) override;
  uint64_t Drop() override;

  uint64_t held_rows() const override {
    return ready_.records() + loose_.size();
  }
  std::vector<HeldPiece> Held() const override;
  bool Load(std::span<const HeldPiece> held,
            std::span<const Row> rows) override;

  ArrangeCounts counts() const override { return counts_; }
  uint64_t MostHeldBytes() const override {
    return pack_.MostHeldBytes(pack_.window_rows + 1, options_);
  }
  uint64_t MostHeldPieces() const override {
    return (pack_.window_rows + 1) * pack_.max_segments;
  }
  uint64_t MostPieces() const override {
    return options_.rows * pack_.max_segments;
  }

 private:
  struct Bin {
    uint64_t values = 0;
    uint64_t segments = 0;
    uint32_t first = 0;  // the first of its records that came
  };

  void Push(const Row& row) {
    loose_.push_back(row);
    loose_values_ += row.length;
    held_bytes_ += pack_.BytesOf(row.length);
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
                  std::vector<Bin>& bins);

  const ArrangeOptions options_;
  const PackRule pack_;
  const uint64_t length_;
  const RowFit fit_;
  std::vector<Row> loose_;  // in the order in which they came
  uint64_t loose_values_ = 0;
  PackedRows ready_;  // for the next batches
  size_t ready_bins_ = 0;
  uint64_t held_bytes_ = 0;
  ArrangeCounts counts_;

  // Of packing a window.
  RoomLists rooms_;
  std::vector<uint32_t> longest_first_;  // of loose_
  std::vector<uint32_t> ends_;           // [lengths]
  std::vector<uint32_t> bin_of_;         // [loose_]
  std::vector<Bin> bins_;
};

Arranged BestFitArranger::Add(std::span<const Row> rows, Assignment& out) {
  if (ready_bins_ > 0) {
    Take(out);
    return {.taken = 0, .due = true};
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    Row row = rows[i];
    const Admission admission = fit_.Admit(row, counts_);
    if (admission == Admission::kDropped) continue;
    if (admission == Admission::kRefused) {
      return {.taken = i, .too_long = true};
    }
    Push(row);
    const bool no_room = held_bytes_ > options_.held_bytes;
    if (!IsWindow() && !no_room) continue;
    FillBins();
    if (no_room) {
      ++counts_.forced;
      KeepFullest(options_.rows);
    } else {
      // Of several batches the last is left, which is the emptiest.
      const size_t batches = bins_.size() / options_.rows;
      KeepFullest(std::max<size_t>(1, batches - 1) * options_.rows);
    }
    Take(out);
    return {.taken = i + 1, .due = true};
  }
  return {.taken = rows.size()};
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
    Bin& bin = bins_[number];
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
  std::vector<uint32_t> order(bins_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(count);
  if (count < order.size()) {
    std::nth_element(order.begin(), end, order.end(),
                     [&](uint32_t a, uint32_t b) {
                       return bins_[a].values != bins_[b].values
                                  ? bins_[a].values > bins_[b].values
                                  : bins_[a].first < bins_[b].first;
                     });
  }
  std::sort(order.begin(), end, [&](uint32_t a, uint32_t b) {
    return bins_[a].first < bins_[b].first;
  });
  std::vector<uint32_t> slots(bins_.size(), PackedRows::kStays);
  for (size_t slot = 0; slot < count; ++slot) {
    slots[order[slot]] = static_cast<uint32_t>(slot);
  }
  ready_bins_ = count;
  size_t left = 0;
  for (size_t i = 0; i < loose_.size(); ++i) {
    const uint32_t slot = slots[bin_of_[i]];
    if (slot == PackedRows::kStays) {
      loose_[left++] = loose_[i];
    } else {
      loose_values_ -= loose_[i].length;
      ready_.Add(loose_[i], slot);
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
  ready_.Take(slots, taken, options_.rows, out);
  ready_bins_ -= taken;
  for (const Piece& piece : out.pieces) {
    held_bytes_ -= pack_.BytesOf(piece.length);
  }
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
  ready_.Clear();
  ready_bins_ = 0;
  loose_.clear();
  loose_values_ = 0;
  held_bytes_ = 0;
  return dropped;
}

std::vector<HeldPiece> BestFitArranger::Held() const {
  std::vector<HeldPiece> held;
  held.reserve(held_rows());
  ready_.Hold(held);
  for (const Row& row : loose_) held.push_back({.record = row.record});
  return held;
}

bool BestFitArranger::PlaceReady(const HeldPiece& piece, const Row& row,
                                 std::vector<Bin>& bins) {
  const size_t number = size_t{piece.bin} - 1;
  if (number > 4 * pack_.window_rows) return false;
  if (number >= bins.size()) bins.resize(number + 1);
  Bin& bin = bins[number];
  bin.values += row.length;
  if (bin.values > length_ || ++bin.segments > pack_.max_segments) return false;
  ready_.Add(row, static_cast<uint32_t>(number));
  held_bytes_ += pack_.BytesOf(row.length);
  return true;
}

bool BestFitArranger::Load(std::span<const HeldPiece> held,
                           std::span<const Row> rows) {
  Drop();
  std::vector<Bin> bins;
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
      bins, [](const Bin& bin) { return bin.segments > 0; });
  return whole && bins.size() % options_.rows == 0 &&
         held_bytes_ <= options_.held_bytes;
}

}  // namespace

std::unique_ptr<Arranger> MakeBestFitArranger(ArrangeOptions options) {
  return std::make_unique<BestFitArranger>(std::move(options));
}

}  // namespace penstock
