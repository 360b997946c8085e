// Finds the pieces that a text begins with, byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tokenizer/vocabulary/stored_tables.h"
#include "tokenizer/vocabulary/table.h"

namespace penstock {

// A double array: the child of a node by byte c is unit base + c, if its label
// is c.
//
//   unit   base << 9 | 1 << 8 | label, 32 bits; then the piece's id, or -1
//
// Memory:  8 bytes for each distinct prefix of a piece, and some 10 % more: of
//          vocabularies at most 12, of random bytes up to 45.
//
// Threads: any number at a time.
class PieceTrie {
 public:
  // A place on the way from the root: the base of its node.
  using Node = uint32_t;
  static constexpr int32_t kNoPiece = -1;

  // One without pieces; others are made by a PieceTrieBuilder.
  PieceTrie() : units_(2 * kBlock) {}

  static constexpr Node Root() { return kBlock; }
  // From here nothing goes on.
  static constexpr Node DeadEnd() { return 0; }

  // Goes on by one byte; `id` is then that of the piece which ends here, or
  // kNoPiece. False, and `node` unchanged, if no piece goes on so.
  bool Step(Node& node, unsigned char byte, int32_t& id) const {
    const Unit unit = units_[node + byte];
    if ((unit.word & 0x1ff) != (0x100u | byte)) return false;
    node = unit.word >> 9;
    id = unit.id;
    return true;
  }

  // kNoPiece if `text` is none.
  int32_t Find(std::string_view text) const;

  // `text`, a piece, is none from now on.
  void Remove(std::string_view text);

  // What Load makes a trie of again, that looks where `from` does.
  void Save(TableWriter& to) const { to.PutTable(units_); }
  static PieceTrie Load(TableReader& from);

 private:
  friend class PieceTrieBuilder;

  static constexpr uint32_t kBlock = 256;

  struct Unit {
    uint32_t word = 0;
    int32_t id = kNoPiece;
  };

  // The first block stays empty: 0 is the base of nodes without children.
  Table<Unit> units_;
};

}  // namespace penstock
