#include "tokenizer/vocabulary/piece_trie.h"

#include <utility>

namespace penstock {

int32_t PieceTrie::Find(std::string_view text) const {
  Node node = Root();
  int32_t id = kNoPiece;
  for (const char c : text) {
    if (!Step(node, static_cast<unsigned char>(c), id)) return kNoPiece;
  }
  return id;
}

void PieceTrie::Remove(std::string_view text) {
  Node node = Root();
  uint32_t unit = 0;
  for (const char c : text) {
    unit = node + static_cast<unsigned char>(c);
    node = units_[unit].word >> 9;
  }
  units_.At(unit).id = kNoPiece;
}

PieceTrie PieceTrie::Load(TableReader& from) {
  PieceTrie trie;
  trie.units_ = from.TakeTable<Unit>();
  from.Expect(trie.units_.size() >= 2 * kBlock);
  return from.ok() ? std::move(trie) : PieceTrie();
}

}  // namespace penstock
