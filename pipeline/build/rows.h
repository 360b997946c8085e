// Decoded rows as they travel from decoding to placing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
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

// Rows of a batch that follow each other.
struct RowsToPlace {
  std::span<const PlacedPiece> pieces;
  // [rows + 1]: row i has pieces [offsets[i], offsets[i + 1]), none where it
  // pads. Empty where each has one.
  std::span<const uint32_t> offsets;
  size_t first = 0;  // of the batch

  size_t size() const {
    return offsets.empty() ? pieces.size() : offsets.size() - 1;
  }
  std::span<const PlacedPiece> PiecesOf(size_t i) const {
    return offsets.empty()
               ? pieces.subspan(i, 1)
               : pieces.subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
  // `count` rows from `begin` on.
  RowsToPlace Some(size_t begin, size_t count) const {
    RowsToPlace some = {pieces, {}, first + begin};
    if (offsets.empty()) {
      some.pieces = pieces.subspan(begin, count);
    } else {
      some.offsets = offsets.subspan(begin, count + 1);
    }
    return some;
  }
};

// Rows to be placed at once, of so few pieces that these stay in the nearest
// cache.
class RowBlock {
 public:
  // From row `first` of the batch on.
  void Begin(size_t first) {
    first_ = first;
    rows_ = 0;
    pieces_.clear();
    offsets_.clear();
  }
  void Add(const Piece& piece, const RowRef& from) {
    pieces_.push_back({piece, from});
  }
  void EndRow() {
    ++rows_;
    if (!offsets_.empty() || pieces_.size() != rows_) [[unlikely]] {
      EndOddRow();
    }
  }
  // Forgets those of the row that has no end yet.
  void DropPieces() {
    pieces_.resize(offsets_.empty() ? rows_ : offsets_.back());
  }
  bool full() const { return pieces_.size() >= kMost || rows_ >= kMost; }
  RowsToPlace rows() const { return {pieces_, offsets_, first_}; }

 private:
  static constexpr size_t kMost = 64;

  // The first that has not one piece, or one behind it.
  [[gnu::noinline]] void EndOddRow() {
    while (offsets_.size() < rows_) {
      offsets_.push_back(static_cast<uint32_t>(offsets_.size()));
    }
    offsets_.push_back(static_cast<uint32_t>(pieces_.size()));
  }

  size_t first_ = 0;
  size_t rows_ = 0;
  std::vector<PlacedPiece> pieces_;
  std::vector<uint32_t> offsets_;  // as RowsToPlace has them
};

// Says where a record came from, for messages. Threads: any number at a time.
using Locate = std::function<std::string(uint64_t record_id)>;

}  // namespace penstock
