// Where the values of one feature lie in one row of a batch.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cwchar>
#include <span>

#include "pipeline/build/rows.h"
#include "pipeline/graph/stages.h"

namespace penstock {

// How a feature goes into rows.
struct FeaturePlace {
  size_t column = 0;
  bool arranges = false;  // it is the feature that pieces are cut from
  bool varying = false;
  size_t by = 0;  // the column of the feature that arranges, where varying
  bool pads_left = false;
  bool cuts_left = false;  // a row that is cut loses its first values
  bool optional = false;
  bool packed = false;  // it goes with the feature that arranges
  bool whole = false;   // rows are one record, of which it takes what it can
};

FeaturePlace PlaceOf(const Stages& stages, size_t feature);

// Values [begin, begin + count) of a record, at `place` of the row.
struct Run {
  const PlacedPiece* from = nullptr;
  const Column* column = nullptr;
  size_t begin = 0;
  size_t count = 0;
  size_t place = 0;
  size_t has = 0;    // values of the record, as far as they were kept
  bool cut = false;  // more of them than the batch is long
  // In a row of several pieces or of a part of a record, where the feature has
  // not as many values as the one that arranges: nobody knows which belong
  // here.
  bool unaligned = false;

  bool goes_on() const { return begin + count < has; }
  uint64_t record() const { return from->piece.record; }
};

// The runs of a row, in order; of a feature of fixed length only that of the
// first piece. Where pieces share a row, a varying feature that has as many
// values as the one that arranges is cut and placed as that one. A view.
class RowRuns {
 public:
  // `width` values of the feature have room in a row.
  RowRuns(std::span<const PlacedPiece> pieces, const FeaturePlace& feature,
          size_t width)
      : pieces_(feature.varying
                    ? pieces
                    : pieces.first(std::min<size_t>(pieces.size(), 1))),
        feature_(feature),
        width_(width) {
    if (!feature.pads_left || pieces_.empty()) return;
    const Run last = (*this)[pieces_.size() - 1];
    shift_ = width - (last.place + last.count);
  }

  size_t size() const { return pieces_.size(); }

  [[gnu::always_inline]] Run operator[](size_t i) const {
    const PlacedPiece& placed = pieces_[i];
    const Column& column = placed.from.ColumnOf(feature_.column);
    Run run = {.from = &placed,
               .column = &column,
               .has = column.values_in(placed.from.row)};
    const Piece& piece = placed.piece;
    bool aligned = feature_.arranges;
    if (feature_.varying && !aligned && !feature_.whole) {
      const uint64_t by =
          placed.from.ColumnOf(feature_.by).values_in(placed.from.row);
      const bool shared =
          feature_.packed || pieces_.size() > 1 || piece.begin > 0;
      aligned = run.has == by && (shared || piece.length < by);
      const bool absent = run.has == 0 && feature_.optional;
      run.unaligned = shared && !aligned && !absent;
    }
    if (aligned) {
      run.begin = piece.begin - placed.from.begin;
      run.count = piece.length;
      run.place = piece.place + shift_;
      if (feature_.cuts_left && run.begin == 0) run.begin = run.has - run.count;
      return run;
    }
    const size_t place = feature_.varying ? piece.place : 0;
    if (!run.unaligned) run.count = std::min(run.has, width_ - place);
    run.cut = run.count < run.has && !run.unaligned;
    if (feature_.cuts_left) run.begin = run.has - run.count;
    run.place = place + shift_;
    return run;
  }

 private:
  std::span<const PlacedPiece> pieces_;
  const FeaturePlace& feature_;
  size_t width_;
  size_t shift_ = 0;
};

// Writes one value again and again: one of 4 bytes by the system's function,
// whose stores lie within cache lines, as those of a plain loop do not.
template <typename T>
void FillWith(T value, size_t count, T* to) {
  if constexpr (sizeof(T) == sizeof(wchar_t)) {
    std::wmemset(reinterpret_cast<wchar_t*>(to), std::bit_cast<wchar_t>(value),
                 count);
  } else {
    std::fill_n(to, count, value);
  }
}

// Fills a row of `width` values: `fill(run, to)` writes those of each run, and
// `pad` goes between and behind them.
template <typename T, typename Fill>
void FillRuns(const RowRuns& runs, size_t width, T pad, T* row,
              const Fill& fill) {
  size_t filled = 0;
  for (size_t i = 0; i < runs.size(); ++i) {
    const Run run = runs[i];
    FillWith(pad, run.place - filled, row + filled);
    fill(run, i, row + run.place);
    filled = run.place + run.count;
  }
  FillWith(pad, width - filled, row + filled);
}

}  // namespace penstock
