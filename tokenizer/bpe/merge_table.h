// Which two neighbouring tokens become one, and when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "formats/memory/huge_pages.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/vocabulary/stored_tables.h"
#include "tokenizer/vocabulary/table.h"
#include "tokenizer/vocabulary/vocabulary.h"

namespace penstock {

// Ranks at or above it are refused by the loaders, so that a rank and a place
// fit in 31 bits.
inline constexpr uint32_t kEndOfRanks = 1u << 24;

// What becomes of two neighbours.
struct Merge {
  uint32_t rank = kNever;
  TokenId merged = kNoToken;

  static constexpr uint32_t kNever = 0xffffffff;
};

// (left, right) -> Merge, by open addressing, behind a filter of bits that
// stays in the cache: most pairs that are asked for never merge. Memory: 33 to
// 66 bytes a pair.
class MergeTable {
 public:
  struct Pair {
    TokenId left = kNoToken, right = kNoToken;
    Merge merge;
  };
  MergeTable() = default;
  explicit MergeTable(std::span<const Pair> pairs);

  // The last Add of a pair counts, as in Hugging Face tokenizers.
  void Add(TokenId left, TokenId right, Merge merge);

  Merge Find(TokenId left, TokenId right) const {
    const uint64_t key = KeyOf(left, right);
    if (slots_.empty() || !MayHave(key)) return {};
    return slots_[SlotOf(key)].merge;  // a free slot's never merges
  }
  size_t size() const { return used_; }
  // Makes room for that many pairs, so that adding them is faster.
  void Reserve(size_t pairs);

  // Every pair, those of lower rank first.
  HugePageVector<Pair> PairsByRank() const;

  // What Load makes a table of again, that looks where `from` does.
  void Save(TableWriter& to) const;
  static MergeTable Load(TableReader& from);

 private:
  // No pair of real ids has this key.
  static constexpr uint64_t kFree = ~uint64_t{0};
  struct Slot {
    uint64_t key = kFree;
    Merge merge;
  };

  static uint64_t KeyOf(TokenId left, TokenId right) {
    return uint64_t{left} << 32 | right;
  }
  // Two bits for each slot, one of eight set where the table is a quarter full.
  bool MayHave(uint64_t key) const {
    const size_t bit = BitOf(key);
    return filter_[bit / 64] >> (bit % 64) & 1;
  }
  size_t BitOf(uint64_t key) const {
    return (key * 0x9fb21c651e98df25 >> 32) & (slots_.size() * 2 - 1);
  }
  void Store(size_t slot, const Slot& value) {
    slots_.At(slot) = value;
    const size_t bit = BitOf(value.key);
    filter_.At(bit / 64) |= uint64_t{1} << (bit % 64);
  }
  size_t SlotOf(uint64_t key) const {
    const size_t mask = slots_.size() - 1;
    size_t slot = (key * 0x9e3779b97f4a7c15 >> 32) & mask;
    // There is a free slot, unless a mapped table was cut off under us.
    for (size_t left = slots_.size(); left > 0; --left) {
      if (slots_[slot].key == key || slots_[slot].key == kFree) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }
  void Resize(size_t slots);

  Table<Slot> slots_;  // a power of two, at most half full
  Table<uint64_t> filter_;
  size_t used_ = 0;
};

// The merges that rank semantics (tiktoken) mean: every two tokens whose
// concatenation is a token merge, with its id as their rank.
//
// Cost:    a lookup for each way to cut each token in two.
MergeTable MergesByRank(const Vocabulary& vocabulary);

}  // namespace penstock
