// Remembers the ids of short parts of text: natural text repeats them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace penstock {

// A table of 2 MiB, where a new part replaces the one that hashes alike.
//
// Threads: one at a time.
class PartCache {
 public:
  static constexpr size_t kMaxPartBytes = 23;
  static constexpr size_t kMaxIds = 6;

  // The bytes, zeros, and the size in the last byte.
  struct Key {
    uint64_t words[3];
    bool operator==(const Key&) const = default;
  };
  // Of 1 to kMaxPartBytes bytes, with kMaxPartBytes that may be read.
  static Key KeyOf(const char* part, size_t size) {
    Key key;
    std::memcpy(key.words, part, sizeof(key.words));
    key.words[0] &= KeepLow(size);
    key.words[1] &= size > 8 ? KeepLow(size - 8) : 0;
    key.words[2] &= size > 16 ? KeepLow(size - 16) : 0;
    key.words[2] |= uint64_t{size} << 56;
    return key;
  }

  struct alignas(64) Entry {
    Key key = {};
    TokenId ids[kMaxIds];
    uint32_t count = 0;  // of ids
    // They hold as long as the path's score so far is nearer to 0 than this.
    float safe_score = 0;
  };

  PartCache() : entries_(size_t{1} << kEntryBits) {}

  // Where the part's ids are, or belong.
  Entry& SlotOf(const Key& key) {
    constexpr uint64_t kMultiplier = 0x9fb21c651e98df25;
    uint64_t hash = (key.words[0] ^ (key.words[2] * kMultiplier)) * kMultiplier;
    hash = (hash ^ (hash >> 32) ^ key.words[1]) * kMultiplier;
    return entries_[hash >> (64 - kEntryBits)];
  }

 private:
  static constexpr int kEntryBits = 15;

  static uint64_t KeepLow(size_t bytes) {
    return bytes >= 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * bytes) - 1;
  }

  std::vector<Entry> entries_;
};

}  // namespace penstock
