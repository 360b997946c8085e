// Makes a PieceTrie of pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "formats/files/status_or.h"
#include "formats/memory/huge_pages.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/vocabulary/piece_trie.h"

namespace penstock {

// Memory:  48 bytes for each piece, beside the trie.
class PieceTrieBuilder {
 public:
  void Reserve(size_t pieces) { pieces_.reserve(2 * pieces); }

  // `text`, not empty and not there yet, must outlive the builder. `id` is at
  // most 2^31 - 1.
  void Add(std::string_view text, TokenId id);

  // To be called once. If asked for, `shorter` becomes by id the longest other
  // piece that each piece begins with, kNoPiece if none; it must have a place
  // for each id.
  //
  // Errors:  kResourceExhausted above 2^23 units.
  StatusOr<PieceTrie> Build(std::span<TokenId> shorter = {});

 private:
  struct Piece {
    uint64_t head;  // the first eight bytes, as a number that sorts as they do
    const char* text;
    uint32_t size;
    TokenId id;

    std::string_view view() const { return {text, size}; }
    // `at` < size.
    unsigned char ByteAt(size_t at) const {
      return static_cast<unsigned char>(at < 8 ? head >> (56 - 8 * at)
                                               : text[at]);
    }
  };
  class Layout;

  static void Sort(std::span<Piece> pieces, Piece* scratch, int depth);

  HugePageVector<Piece> pieces_;
};

}  // namespace penstock
