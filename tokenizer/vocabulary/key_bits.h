// Says of many keys, in a few bits each, that they may be there.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "tokenizer/vocabulary/stored_tables.h"
#include "tokenizer/vocabulary/table.h"

namespace penstock {

// A bit for each hash: of 32 other keys one is taken for one that is there.
//
// Memory:  4 to 8 bytes for each different key.
//
// Threads: any number at a time.
class KeyBits {
 public:
  // Of `keys`, among which some may be the same.
  explicit KeyBits(std::span<const uint64_t> keys) {
    const size_t different = Fill(keys, keys.size());
    Fill(keys, different);
  }

  bool MayHave(uint64_t key) const {
    const size_t bit = BitOf(key);
    return bits_[bit / 64] >> bit % 64 & 1;
  }

  // What Load makes these of again, that look where `from` does.
  void Save(TableWriter& to) const { to.PutTable(bits_); }
  static KeyBits Load(TableReader& from) {
    auto bits = from.TakeTable<uint64_t>();
    from.Expect(std::has_single_bit(bits.size()));
    return KeyBits(std::move(bits));
  }

 private:
  static constexpr size_t kBitsOfKey = 32;
  static constexpr size_t kLeastBits = 4096;
  static constexpr uint64_t kMultiplier = 0x9fb21c651e98df25;

  explicit KeyBits(Table<uint64_t> bits) { Use(std::move(bits)); }

  void Use(Table<uint64_t> bits) {
    bits_ = std::move(bits);
    shift_ = 64 - std::countr_zero(bits_.size() * 64);
  }
  // With room for so many different ones; returns how many bits they have.
  size_t Fill(std::span<const uint64_t> keys, size_t different) {
    Use(Table<uint64_t>(
        std::bit_ceil(std::max(different * kBitsOfKey, kLeastBits)) / 64));
    size_t set = 0;
    for (const uint64_t key : keys) {
      set += !MayHave(key);
      const size_t bit = BitOf(key);
      bits_.At(bit / 64) |= uint64_t{1} << bit % 64;
    }
    return set;
  }
  size_t BitOf(uint64_t key) const { return key * kMultiplier >> shift_; }

  Table<uint64_t> bits_;  // a power of two
  int shift_ = 0;         // leaves the number of a bit
};

}  // namespace penstock
