// Remembers the ids of pieces that LongPieces has no room for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <shared_mutex>
#include <span>
#include <string_view>
#include <vector>

#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/pieces/zero_pages.h"

namespace penstock {

// Records one behind the other: the ids of a piece, then its bytes. They come
// seldom and take long, so that a lock and a look at all of them cost nothing.
// Where there is no room for a record, all go, and their memory with them.
//
// Memory:  10 KiB, and at most 32 MiB, taken once pieces come twice.
//
// Threads: any number at a time.
class HugePieces {
 public:
  static constexpr size_t kMostBytes = 32 << 20;
  static constexpr size_t kMostRecords = 256;
  // Of pieces that came once, so many are remembered.
  static constexpr size_t kLately = 256;

  // `most_bytes` is a multiple of 4. Throws std::bad_alloc.
  explicit HugePieces(size_t most_bytes = kMostBytes) : pages_(most_bytes) {}

  // Whether the piece, which hashes so, is known; then appends its ids.
  bool AppendIds(std::string_view piece, uint64_t hash,
                 std::vector<TokenId>& ids) const;
  // Keeps a piece that comes for the second time: most never do, and each takes
  // the place of many.
  void Insert(std::string_view piece, uint64_t hash,
              std::span<const TokenId> ids);
  void Clear();

 private:
  struct Record {
    uint64_t hash;
    size_t bytes;
    size_t ids;
    size_t begin;  // in pages_
  };

  std::span<const Record> records() const {
    return std::span(records_).first(count_);
  }
  char* BytesAt(size_t begin) const {
    return static_cast<char*>(pages_.data()) + begin;
  }
  // Null where it is not known.
  const Record* Find(std::string_view piece, uint64_t hash) const;
  bool CameLately(uint64_t hash);
  void ForgetAll();

  mutable std::shared_mutex mutex_;  // guards all that follows
  ZeroPages pages_;
  size_t used_bytes_ = 0;
  size_t count_ = 0;
  std::array<Record, kMostRecords> records_;
  // The hashes of the last pieces that were not known, a ring.
  std::array<uint64_t, kLately> lately_{};
  size_t next_ = 0;  // in lately_
};

}  // namespace penstock
