// Remembers the ids of short parts of text: natural text repeats them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/vocabulary/zero_pages.h"

namespace penstock {

// A table that grows with the parts that come, up to kMostBytes. A new part
// takes the place of the older of two that hash alike.
//
// Memory:  512 KiB at first, at most 32 MiB, taken once parts come to it.
//
// Threads: one at a time.
class PartCache {
 public:
  static constexpr size_t kMaxPartBytes = 23;
  static constexpr size_t kMaxIds = 8;
  static constexpr size_t kFirstBytes = 512 << 10;
  static constexpr size_t kMostBytes = 32 << 20;

  // The bytes, zeros, and the size in the last byte.
  struct Key {
    uint64_t words[3];
    bool operator==(const Key&) const = default;
  };
  // Of 1 to kMaxPartBytes bytes, with kMaxPartBytes that may be read.
  static Key KeyOf(const char* part, size_t size) {
    const unsigned char* const keep = kKeep + kMaxPartBytes + 1 - size;
    return {WordAt(part) & WordAt(keep), WordAt(part + 8) & WordAt(keep + 8),
            (WordAt(part + 16) & WordAt(keep + 16)) | uint64_t{size} << 56};
  }

  // Zeros where there is none.
  struct alignas(64) Entry {
    Key key;
    TokenId ids[kMaxIds];
    uint16_t count;    // of ids
    bool has_unknown;  // some of them stand for text without a piece
    // They hold as long as the path's score so far is nearer to 0 than this.
    float safe_score;
  };
  static_assert(sizeof(Entry) == 64, "one to a cache line");

  // `most_bytes` is a power of two, kFirstBytes or more. Throws std::bad_alloc.
  explicit PartCache(size_t most_bytes = kMostBytes)
      : most_bytes_(most_bytes), pages_(kFirstBytes) {
    UsePages();
  }

  // The two entries where the part's ids may be. Valid until MakeRoom.
  Entry* SetOf(const Key& key) {
    constexpr uint64_t kMultiplier = 0x9fb21c651e98df25;
    uint64_t hash = (key.words[0] ^ (key.words[2] * kMultiplier)) * kMultiplier;
    hash = (hash ^ (hash >> 32) ^ key.words[1]) * kMultiplier;
    return entries_ + (hash >> set_shift_ << 1);
  }

  // The part's entry in its set, or the one that it is to take: then `known` is
  // false and the entry's key is set, but not the rest.
  Entry& Claim(Entry* set, const Key& key, bool& known) {
    known = true;
    if (set[0].key == key) return set[0];
    if (set[1].key == key) return set[1];
    known = false;
    // The first to come, most often a frequent one, stands where the processor
    // looks first.
    const bool is_first = IsFree(set[0]);
    if (is_first || IsFree(set[1])) {
      ++used_;
    } else {
      set[0] = set[1];
    }
    Entry& entry = set[is_first ? 0 : 1];
    entry.key = key;
    return entry;
  }

  // To be called now and then: grows where half of it is used.
  void MakeRoom() {
    if (used_ > size_bytes() / sizeof(Entry) / 2 &&
        size_bytes() < most_bytes_) {
      Grow();
    }
  }

  // Of what was taken so far.
  size_t size_bytes() const { return pages_.size_bytes(); }

 private:
  static uint64_t WordAt(const void* at) {
    uint64_t word;
    std::memcpy(&word, at, sizeof(word));
    return word;
  }
  static bool IsFree(const Entry& entry) { return entry.key.words[2] == 0; }
  void UsePages();
  void Grow();

  // A window on it of 24 bytes keeps the first bytes and clears the others.
  static constexpr unsigned char kKeep[2 * kMaxPartBytes + 2] = {
      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

  const size_t most_bytes_;
  ZeroPages pages_;
  Entry* entries_;   // in pages_
  int set_shift_;    // leaves of a hash the number of a set
  size_t used_ = 0;  // entries
};

}  // namespace penstock
