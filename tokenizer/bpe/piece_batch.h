// Turns the pieces of a text into ids, many side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "formats/files/status.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/vocabulary/long_pieces.h"
#include "tokenizer/vocabulary/piece_cache.h"

namespace penstock {

// What a thread remembers of pieces.
struct PieceMemory {
  PieceCache pieces;
  LongPieces long_pieces;
};

// All keys first, then all lookups: the tables' lines come while keys are made.
//
// Threads: one at a time.
class PieceBatch {
 public:
  static constexpr size_t kMost = 256;  // pieces

  // `text` must outlive it. `ids` get the pieces' ids.
  PieceBatch(std::string_view text, PieceMemory& memory,
             std::vector<TokenId>& ids)
      : text_(text), memory_(memory), ids_(ids) {}

  // Of the next pieces, at most kMost, from `begin` on. encode_new(piece)
  // appends the ids of a piece that is not known. Ends with its first error.
  template <typename EncodeNew>
  Status Encode(size_t begin, std::span<const size_t> ends,
                EncodeNew&& encode_new) {
    MakeKeys(begin, ends);
    for (size_t done = 0; done < ends.size(); ++done) {
      done = CopyKnown(done, ends.size());
      if (done == ends.size()) break;
      const size_t at = done == 0 ? begin : ends[done - 1];
      const std::string_view piece = text_.substr(at, ends[done] - at);
      if (CopyLong(piece, lookups_[done])) continue;
      const size_t first = ids_.size();
      PENSTOCK_RETURN_IF_ERROR(encode_new(piece));
      Remember(piece, lookups_[done], std::span(ids_).subspan(first));
    }
    return OkStatus();
  }

 private:
  struct Lookup {
    PieceCache::Key key;  // of a long piece: its hash and zero
    PieceCache::Hash hash;

    bool is_long() const { return key.tail == 0; }
  };

  void MakeKeys(size_t begin, std::span<const size_t> ends);
  // Appends the ids of pieces from `from` on that PieceCache has; returns the
  // first that it has not, or `to`.
  size_t CopyKnown(size_t from, size_t to);
  // Whether LongPieces has the piece; then appends its ids.
  bool CopyLong(std::string_view piece, const Lookup& lookup);
  void Remember(std::string_view piece, const Lookup& lookup,
                std::span<const TokenId> ids);

  const std::string_view text_;
  PieceMemory& memory_;
  std::vector<TokenId>& ids_;
  std::array<Lookup, kMost> lookups_;
};

}  // namespace penstock
