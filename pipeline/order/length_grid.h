// Buckets of several features at once: a batch's shape is a cell, one bucket of
// each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/arranging.h"
#include "pipeline/order/lengths.h"
#include "pipeline/tasks/task_queue.h"

namespace penstock {

// Cells are counted through, the bucket of the last feature changing first. A
// row's measure is that of its cell and one, which is all that arrangers know
// of its lengths.
//
// Threads: any number at a time.
class LengthGrid {
 public:
  static constexpr size_t kMostFeatures = 8;

  // Of each feature, rising.
  LengthGrid(std::vector<std::vector<int64_t>> lengths, TooLong too_long);

  size_t features() const { return lengths_.size(); }
  size_t cells() const { return cells_; }
  // [cells]: of one feature.
  std::vector<int64_t> LengthsOf(size_t feature) const;
  // [features]: one more than cells() where one of them is longer than its
  // longest, unless such are cut.
  uint32_t MeasureOf(std::span<const uint32_t> lengths) const;

 private:
  std::vector<std::vector<int64_t>> lengths_;
  bool truncate_;
  size_t cells_ = 1;
};

struct Measured {
  std::vector<uint32_t> measures;   // [records]
  std::vector<double> mean_values;  // [cells]: of a row, of all features
};

// Of records whose lengths are [features].
// Cost:  a look at each length, by all of `tasks`' threads.
Measured MeasureRecords(const LengthGrid& grid,
                        std::span<const LengthTable> lengths, uint64_t records,
                        TaskQueue& tasks);

}  // namespace penstock
