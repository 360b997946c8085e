// Which of the lengths of a contract a row goes to, if any.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "pipeline/arrange/arranger.h"
#include "pipeline/arrange/rows.h"

namespace penstock {

enum class Admission { kTaken, kDropped, kRefused };

// Threads: any number at a time.
// Cost:    a look at a table for lengths up to 65,536, a search beyond.
class RowFit {
 public:
  static constexpr int64_t kAnyLength = int64_t{kLeftOut} - 1;

  // `lengths` rise.
  RowFit(std::vector<int64_t> lengths, TooLong too_long)
      : lengths_(std::move(lengths)), too_long_(too_long) {
    constexpr int64_t kMostInTable = 65536;
    if (lengths_.back() > kMostInTable) return;
    for (size_t shape = 0; shape < lengths_.size(); ++shape) {
      table_.resize(static_cast<size_t>(lengths_[shape]) + 1,
                    static_cast<uint16_t>(shape));
    }
  }

  // Rows that are packed by cutting them fit however long they are.
  static RowFit Of(const ArrangeOptions& options) {
    return options.pack && IsCut(options.pack->kind)
               ? RowFit({kAnyLength}, TooLong::kError)
               : RowFit(options.lengths, options.too_long);
  }

  // Cuts a row that is longer than the longest length, where that is allowed,
  // and counts what becomes of it.
  Admission Admit(Row& row, ArrangeCounts& counts) const {
    if (int64_t{row.length} <= lengths_.back()) [[likely]] {
      return Admission::kTaken;
    }
    if (row.length == kLeftOut) {
      ++counts.dropped;
      return Admission::kDropped;
    }
    if (too_long_ == TooLong::kError) return Admission::kRefused;
    if (too_long_ == TooLong::kDrop) {
      ++counts.dropped;
      return Admission::kDropped;
    }
    ++counts.truncated;
    row.length = static_cast<uint32_t>(lengths_.back());
    return Admission::kTaken;
  }
  // The same for a row that was admitted, and counted, before. False where it
  // cannot have been.
  bool AdmitAgain(Row& row) const {
    ArrangeCounts counted;
    return Admit(row, counted) == Admission::kTaken;
  }

  // The number of the least length that holds `length`, which is no more than
  // the longest.
  size_t ShapeOf(uint32_t length) const {
    if (length < table_.size()) return table_[length];
    return static_cast<size_t>(
        std::lower_bound(lengths_.begin(), lengths_.end(), int64_t{length}) -
        lengths_.begin());
  }

 private:
  std::vector<int64_t> lengths_;
  TooLong too_long_;
  std::vector<uint16_t> table_;  // [longest + 1], or empty
};

// Arranger::Add() of rows that are admitted one by one: put(row) takes one, and
// says whether a batch is due.
template <typename Put>
Arranged AdmitRows(std::span<const Row> rows, const RowFit& fit,
                   ArrangeCounts& counts, Put put) {
  for (size_t i = 0; i < rows.size(); ++i) {
    Row row = rows[i];
    const Admission admission = fit.Admit(row, counts);
    if (admission == Admission::kDropped) continue;
    if (admission == Admission::kRefused) {
      return {.taken = i, .too_long = true};
    }
    if (put(row)) return {.taken = i + 1, .due = true};
  }
  return {.taken = rows.size()};
}

}  // namespace penstock
