// A text and the pieces it is cut into: what splitters work on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/unicode/aligned_text.h"

namespace penstock {

// Bytes [begin, end) of a text, not empty.
struct Piece {
  uint32_t begin;
  uint32_t end;

  size_t size() const { return end - begin; }
  friend bool operator==(const Piece&, const Piece&) = default;
};

// The pieces are in order and do not overlap. What lies between them is gone:
// spaces, most often.
struct Pieces {
  explicit Pieces(Alignment alignment) : text(alignment) {}

  std::string_view TextOf(Piece piece) const {
    return std::string_view(text.text()).substr(piece.begin, piece.size());
  }

  AlignedText text;
  std::vector<Piece> pieces;
};

// Cuts every piece again: `cut` is given a piece's text and an `add` to call
// with the begin and end, in that text, of each part that remains. Empty parts
// are dropped.
template <typename Cut>
void CutPieces(Pieces& pieces, Cut cut) {
  std::vector<Piece> parts;
  parts.reserve(pieces.pieces.size() * 2);
  for (const Piece piece : pieces.pieces) {
    cut(pieces.TextOf(piece), [&](size_t begin, size_t end) {
      if (begin == end) return;
      parts.push_back({static_cast<uint32_t>(piece.begin + begin),
                       static_cast<uint32_t>(piece.begin + end)});
    });
  }
  pieces.pieces = std::move(parts);
}

}  // namespace penstock
