// Decoded rows as they travel from decoding to placing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "formats/example/examples.h"
#include "pipeline/arrange/rows.h"

namespace penstock {

// A row of some decoded examples, which whoever made this keeps alive.
struct RowRef {
  // Of a column as a decoder gives them.
  const Column& ColumnOf(size_t column) const {
    return examples->columns[columns == nullptr ? column : (*columns)[column]];
  }

  const Examples* examples = nullptr;
  size_t row = 0;
  uint32_t begin = 0;  // values of the record before these are not there
  // Not null: [columns], whose value is in the batch already and empty here.
  const std::vector<bool>* in_place = nullptr;
  // Not null: which of the examples' columns each of a decoder's is.
  const std::vector<size_t>* columns = nullptr;
};

// A piece of a row, and where its values are.
struct PlacedPiece {
  Piece piece;
  RowRef from;
};

// Says where a record came from, for messages. Threads: any number at a time.
using Locate = std::function<std::string(uint64_t record_id)>;

}  // namespace penstock
