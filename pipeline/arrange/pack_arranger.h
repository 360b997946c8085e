// What arrangers have in common that put whole records into rows together.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "pipeline/arrange/arranger.h"
#include "pipeline/arrange/packed_rows.h"
#include "pipeline/arrange/row_fit.h"

namespace penstock {

class PackArranger : public Arranger {
 public:
  ArrangeCounts counts() const final { return counts_; }
  uint64_t MostPieces() const final {
    return options_.rows * pack_.max_segments;
  }

 protected:
  explicit PackArranger(ArrangeOptions options)
      : options_(std::move(options)),
        pack_(*options_.pack),
        length_(static_cast<uint32_t>(options_.lengths.back())),
        fit_(options_.lengths, options_.too_long) {
    assert(options_.rows > 0 && pack_.window_rows >= options_.rows);
  }

  void Hold(const Row& row) { held_bytes_ += pack_.BytesOf(row.length); }
  bool IsOverfull() const { return held_bytes_ > options_.held_bytes; }
  // As PackedRows::Take(); what is taken is no longer held.
  void TakeRows(std::span<const uint32_t> slots, size_t filled,
                Assignment& out) {
    packed_.Take(slots, filled, options_.rows, out);
    for (const Piece& piece : out.pieces) {
      held_bytes_ -= pack_.BytesOf(piece.length);
    }
  }

  const ArrangeOptions options_;
  const PackRule pack_;
  const uint32_t length_;  // of each row
  const RowFit fit_;
  PackedRows packed_;
  uint64_t held_bytes_ = 0;
  ArrangeCounts counts_;
};

}  // namespace penstock
