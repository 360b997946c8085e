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
#include "tokenizer/pieces/came_lately.h"
#include "tokenizer/pieces/zero_pages.h"

namespace penstock {

// Records one behind the other: the ids of a piece, then its bytes. They come
// seldom and take long, so that a lock and a look at all of them cost nothing.
// Where there is no room for a record it is not kept, until those that had none
// would have filled the memory some times over: then all go, and their memory
// with them. So of a text that has up to so many times more, some are still
// there when it comes again.
//
// Memory:  8 KiB, and at most 32.25 MiB, taken once pieces come.
//
// Threads: any number at a time.
class HugePieces {
 public:
  static constexpr size_t kMostBytes = 32 << 20;
  static constexpr size_t kMostRecords = 256;
  // So many times.
  static constexpr size_t kRefusedTimes = 4;

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
  // Whether there is room for so many bytes, or all went.
  bool HasRoom(size_t bytes);
  void ForgetAll();

  mutable std::shared_mutex mutex_;  // guards all that follows
  ZeroPages pages_;
  size_t used_bytes_ = 0;
  size_t count_ = 0;
  std::array<Record, kMostRecords> records_;
  size_t refused_bytes_ = 0;
  CameLately lately_;
};

}  // namespace penstock
