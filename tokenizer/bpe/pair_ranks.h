// Which two neighbouring tokens become one, in 8 bytes a pair.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tokenizer/bpe/merge_table.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/vocabulary/stored_tables.h"
#include "tokenizer/vocabulary/table.h"

namespace penstock {

// (left, right) -> rank, by open addressing, behind a filter of bits that
// stays in the cache: most pairs that are asked for never merge.
//
//   slot   left, 21 bits; right, 21; rank, 22
//
// Memory:  17 to 34 bytes a pair.
//
// Threads: any number at a time, once filled.
class PairRanks {
 public:
  static constexpr TokenId kEndOfIds = (TokenId{1} << 21) - 1;
  static constexpr uint32_t kEndOfRanks = uint32_t{1} << 22;

  // For that many pairs at most.
  explicit PairRanks(size_t pairs);

  // Each pair once; ids below kEndOfIds, `rank` below kEndOfRanks.
  void Add(TokenId left, TokenId right, uint32_t rank);

  // Merge::kNever where the pair is not there.
  uint32_t Find(TokenId left, TokenId right) const {
    const uint64_t key = KeyOf(left, right);
    const uint64_t hash = key * kMultiplier;
    const uint64_t bit = hash >> (shift_ - kFilterBits);
    if ((filter_[bit / 64] >> (bit % 64) & 1) == 0) return Merge::kNever;
    for (size_t slot = hash >> shift_;; slot = (slot + 1) & mask_) {
      const uint64_t found = slots_[slot];
      if (found >> kRankBits == key) return found & (kEndOfRanks - 1);
      if (found == kFree) return Merge::kNever;
    }
  }

  // Asks for the memory that Find looks at first.
  void Prefetch(TokenId left, TokenId right) const {
    const uint64_t hash = KeyOf(left, right) * kMultiplier;
    __builtin_prefetch(&filter_[(hash >> (shift_ - kFilterBits)) / 64]);
  }

  // For who looks for many pairs side by side, as Find does.
  static constexpr uint64_t kMultiplier = 0x9fb21c651e98df25;
  static constexpr int kIdBits = 21;
  static constexpr int kRankBits = 22;
  static constexpr int kFilterBits = 2;  // four bits for each slot
  static constexpr uint64_t kFree = ~uint64_t{0};
  const uint64_t* slots() const { return slots_.data(); }
  const uint64_t* filter() const { return filter_.data(); }
  uint64_t mask() const { return mask_; }
  int shift() const { return shift_; }

  // What Load makes these ranks of again, that look where `from` does.
  void Save(TableWriter& to) const;
  static PairRanks Load(TableReader& from);

 private:
  static uint64_t KeyOf(TokenId left, TokenId right) {
    return uint64_t{left} << kIdBits | right;
  }

  PairRanks(Table<uint64_t> slots, Table<uint64_t> filter);

  int shift_;  // leaves the bits of a slot's number
  size_t mask_;
  Table<uint64_t> slots_;
  Table<uint64_t> filter_;
};

}  // namespace penstock
