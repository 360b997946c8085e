// How often each piece of a corpus occurs: what BPE learns its merges from.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status.h"
#include "tokenizer/patterns/pretokenizer.h"

namespace penstock {

// Piece -> count, in a table that only grows.
//
// Memory:  the pieces' bytes and about 40 for each.
//
// Threads: one at a time.
class PieceTally {
 public:
  // `piece` is of less than 4 GiB and not empty.
  void Add(std::string_view piece, uint64_t count) {
    AddHashed(piece, HashOf(piece), count);
  }

  static uint64_t HashOf(std::string_view piece);
  void AddHashed(std::string_view piece, uint64_t hash, uint64_t count);

  struct Entry {
    uint64_t hash;
    uint64_t count;
    uint64_t begin;  // in the bytes of all
    uint32_t size;
  };
  std::span<const Entry> entries() const { return entries_; }
  std::string_view PieceOf(const Entry& entry) const {
    return std::string_view(bytes_).substr(entry.begin, entry.size);
  }
  uint64_t size_bytes() const { return bytes_.size(); }

 private:
  static constexpr uint32_t kFree = 0xffffffff;

  void Grow();

  std::string bytes_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> slots_;  // a power of two, at most half full
};

// The pieces of a whole corpus, counted on many threads: which and how often
// does not depend on how many, nor on the order of the documents.
//
// Threads: Add any number at a time; all else once they have ended.
class PieceCounts {
 public:
  // `max_bytes` is the limit for the bytes of all different pieces.
  explicit PieceCounts(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  // Cuts each document into pieces and counts them.
  // Errors:  kResourceExhausted where the corpus has too many different
  //          pieces: nothing is ever left out in silence.
  Status Add(const PreTokenizer& pretokenizer,
             std::span<const std::string_view> documents);

  // How many different pieces, and the bytes of them.
  uint64_t pieces() const;
  uint64_t size_bytes() const { return bytes_.load(); }

  static constexpr size_t kShards = 64;
  // Every piece is in one of them.
  const PieceTally& shard(size_t i) const { return shards_[i].tally; }

 private:
  struct alignas(64) Shard {
    std::mutex mutex;
    PieceTally tally;
  };

  Status Merge(const PieceTally& from);

  const uint64_t max_bytes_;
  std::array<Shard, kShards> shards_;
  std::atomic<uint64_t> bytes_ = 0;  // relaxed: a sum for the limit
};

}  // namespace penstock
