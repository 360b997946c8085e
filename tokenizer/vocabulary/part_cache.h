// Remembers the ids of short parts of text: natural text repeats them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "tokenizer/interface/tokenizer.h"

namespace penstock {

// A table of 2 MiB, where a new part replaces one that hashes alike.
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
    Key key, keep;
    std::memcpy(key.words, part, sizeof(key.words));
    std::memcpy(keep.words, kKeep + kMaxPartBytes + 1 - size,
                sizeof(keep.words));
    for (int i = 0; i < 3; ++i) key.words[i] &= keep.words[i];
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

  PartCache() : entries_(2 * kSets) {}

  // The two entries where the part's ids may be.
  Entry* SetOf(const Key& key) {
    constexpr uint64_t kMultiplier = 0x9fb21c651e98df25;
    uint64_t hash = (key.words[0] ^ (key.words[2] * kMultiplier)) * kMultiplier;
    hash = (hash ^ (hash >> 32) ^ key.words[1]) * kMultiplier;
    return &entries_[hash >> (64 - kSetBits) << 1];
  }

  // The part's entry in its set, or the one that it is to take: then `known` is
  // false and the entry's key is set, but not the rest.
  static Entry& Claim(Entry* set, const Key& key, bool& known) {
    known = true;
    if (set[0].key == key) return set[0];
    if (set[1].key == key) return set[1];
    known = false;
    // The newest stands first; the older one goes.
    set[1] = set[0];
    set[0].key = key;
    return set[0];
  }

 private:
  static constexpr int kSetBits = 14;
  static constexpr size_t kSets = size_t{1} << kSetBits;

  // A window on it of 24 bytes keeps the first bytes and clears the others.
  static constexpr unsigned char kKeep[2 * kMaxPartBytes + 2] = {
      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

  std::vector<Entry> entries_;
};

}  // namespace penstock
