// Remembers the ids of short pieces: natural text repeats them so much that
// nine of ten are never merged twice.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace penstock {

// A table of fixed size, 2 MiB, where a new piece replaces the older of the two
// that hash alike. It only ever saves work: ids are the same with and without.
//
// Threads: one at a time.
class PieceCache {
 public:
  static constexpr size_t kMaxPieceBytes = 16;
  static constexpr size_t kMaxIds = 3;

  // A piece of 1 to kMaxPieceBytes bytes.
  struct Key {
    uint64_t head, tail;  // first and last bytes, overlapping
    uint32_t size;
  };
  static Key KeyOf(std::string_view piece);

  struct Entry {
    uint64_t head = 0, tail = 0;
    uint16_t size = 0;
    uint16_t count = 0;  // of ids
    TokenId ids[kMaxIds];

    bool Holds(const Key& key) const {
      return head == key.head && tail == key.tail && size == key.size;
    }
    void Set(const Key& key, std::span<const TokenId> piece_ids) {
      head = key.head;
      tail = key.tail;
      size = static_cast<uint16_t>(key.size);
      count = static_cast<uint16_t>(piece_ids.size());
      std::copy(piece_ids.begin(), piece_ids.end(), ids);
    }
  };
  static_assert(sizeof(Entry) == 32, "two to a cache line");

  PieceCache() : lines_(size_t{1} << kLineBits) {}

  // The piece's entry; null where it is not known. Valid until Insert.
  const Entry* Find(const Key& key) const {
    const Line& line = lines_[LineOf(key)];
    if (line.newer.Holds(key)) return &line.newer;
    return line.older.Holds(key) ? &line.older : nullptr;
  }
  // At most kMaxIds.
  void Insert(const Key& key, std::span<const TokenId> piece_ids) {
    Line& line = lines_[LineOf(key)];
    line.older = line.newer;
    line.newer.Set(key, piece_ids);
  }

 private:
  static constexpr int kLineBits = 15;
  struct alignas(64) Line {
    Entry newer, older;
  };

  static size_t LineOf(const Key& key) {
    constexpr uint64_t kMultiplier = 0x9fb21c651e98df25;
    uint64_t hash = (key.head ^ key.size) * kMultiplier;
    hash = (hash ^ (hash >> 32) ^ key.tail) * kMultiplier;
    return hash >> (64 - kLineBits);
  }

  std::vector<Line> lines_;
};

inline PieceCache::Key PieceCache::KeyOf(std::string_view piece) {
  const char* p = piece.data();
  const size_t n = piece.size();
  Key key = {0, 0, static_cast<uint32_t>(n)};
  if (n >= 8) {
    std::memcpy(&key.head, p, 8);
    std::memcpy(&key.tail, p + n - 8, 8);
  } else if (n >= 4) {
    std::memcpy(&key.head, p, 4);
    std::memcpy(&key.tail, p + n - 4, 4);
  } else {
    key.head = static_cast<unsigned char>(p[0]);
    key.tail = static_cast<unsigned char>(p[n / 2]) << 8 |
               static_cast<unsigned char>(p[n - 1]);
  }
  return key;
}

// Hands each caller a cache of its own, most often the one it had before.
// Memory: a cache for each thread that ever encoded, at most kSlots of them
// while nobody encodes.
//
// Threads: any number at a time; never waits.
class PieceCaches {
 public:
  PieceCaches() = default;
  ~PieceCaches();
  PieceCaches(const PieceCaches&) = delete;
  PieceCaches& operator=(const PieceCaches&) = delete;

  // Gives the cache back when it goes.
  class Lease {
   public:
    explicit Lease(PieceCaches& caches);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    PieceCache& operator*() const { return *cache_; }

   private:
    std::atomic<PieceCache*>& home_;
    std::unique_ptr<PieceCache> cache_;
  };

 private:
  static constexpr size_t kSlots = 64;
  struct alignas(64) Slot {
    // Null while its cache is lent. Taken with acquire, given with release.
    std::atomic<PieceCache*> cache = nullptr;
  };

  // The slot of the calling thread, the same in every PieceCaches.
  static size_t SlotOfThread();

  std::array<Slot, kSlots> slots_;
};

}  // namespace penstock
