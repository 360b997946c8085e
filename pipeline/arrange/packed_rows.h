// Records that stand in rows together and wait for a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/arrange/rows.h"
#include "pipeline/state.h"

namespace penstock {

// How full one packed row is.
struct PackedBin {
  uint64_t values = 0;
  uint64_t segments = 0;
  uint32_t first = 0;  // rises with the first of its records that came
};

// slots[bin] for PackedRows::Take(): the `count` fullest rows, of equally full
// ones those that came first, in the order in which they came.
std::vector<uint32_t> SlotsOfFullest(std::span<const PackedBin> bins,
                                     size_t count);

// Threads: one at a time.
// Memory:  28 bytes a record.
class PackedRows {
 public:
  static constexpr uint32_t kStays = ~uint32_t{0};

  // Behind what packed row `bin` has.
  void Add(const Row& row, uint32_t bin) {
    rows_.push_back(row);
    bins_.push_back(bin);
  }

  // Makes a batch of some of the packed rows: slots[bin] is the row of the
  // batch that a packed row becomes, which are [0, filled), or kStays. Those
  // that stay are numbered anew, in their order.
  void Take(std::span<const uint32_t> slots, size_t filled, uint64_t batch_rows,
            Assignment& out);

  void Clear() {
    rows_.clear();
    bins_.clear();
  }
  size_t records() const { return rows_.size(); }
  const Row& row(size_t i) const { return rows_[i]; }
  uint32_t bin(size_t i) const { return bins_[i]; }

  // Appends all records, packed row b as bin b + 1.
  void Hold(std::vector<HeldPiece>& held) const;

 private:
  std::vector<Row> rows_;
  std::vector<uint32_t> bins_;  // [records]
  // Of Take().
  std::vector<uint32_t> next_;
  std::vector<uint32_t> place_;
  std::vector<uint32_t> renumbered_;
};

}  // namespace penstock
