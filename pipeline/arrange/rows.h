// What goes into an arranger and what comes out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pipeline/order/lengths.h"

namespace penstock {

// Row::length of a row that Withdraw or a Filter left out, or of a record that
// FlatMap made no row of: an arranger takes it and drops it.
inline constexpr uint32_t kLeftOut = LengthTable::kLeftOut;

// FlatMap makes several rows of a record, numbered from 0 on without a gap, one
// at least. Each is arranged, and waits in a state, as a record of its own, by
// an id that stands for both numbers. Without FlatMap it is the record's.
struct RowIds {
  uint64_t most_rows = 1;  // of a record

  uint64_t Of(uint64_t record, uint64_t number) const {
    return record * most_rows + number;
  }
  uint64_t RecordOf(uint64_t id) const {
    return most_rows == 1 ? id : id / most_rows;  // dividing is slow
  }
  uint64_t NumberOf(uint64_t id) const { return id % most_rows; }
};

// A record to be put into batches, or a row of one: `record` is as RowIds has
// it, here and in pieces.
struct Row {
  uint64_t record = 0;
  uint64_t tag = 0;  // the caller's own; says nothing to the arranger
  uint32_t length = 0;
  // Values that earlier batches had; 0 but for one that kChunk cut before a run
  // changed.
  uint32_t begin = 0;
};

// A run of a record's values in one row of a batch.
struct Piece {
  uint64_t record = 0;
  uint64_t tag = 0;     // that of its Row
  uint32_t begin = 0;   // of the record's values
  uint32_t length = 0;  // how many of them
  uint32_t place = 0;   // where in the row they begin
  bool last = true;     // no piece of the record comes after it

  bool operator==(const Piece&) const = default;
};

// Which pieces make one global batch, in which shape.
struct Assignment {
  size_t shape = 0;  // number of its length in Contract::lengths
  // [rows + 1]: row r holds pieces [row_offsets[r], row_offsets[r + 1]); a row
  // without pieces pads.
  std::vector<uint32_t> row_offsets;
  std::vector<Piece> pieces;
  uint64_t real_rows = 0;
};

}  // namespace penstock
