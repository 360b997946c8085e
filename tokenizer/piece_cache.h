// Remembers the ids of short pieces: natural text repeats them so much that
// nine of ten are never merged twice.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>

#include "tokenizer/tokenizer.h"

namespace penstock {

// A table of fixed size, 8 MiB, where a new piece replaces the older of the two
// that hash alike. It only ever saves work: ids are the same with and without.
// Memory that no piece has come to is not taken yet.
//
// Threads: one at a time.
class PieceCache {
 public:
  static constexpr size_t kMaxPieceBytes = 15;
  static constexpr size_t kMaxIds = 3;

  PieceCache();

  // The bytes of a piece, zeros behind them, and its size as the last byte.
  struct Key {
    uint64_t head, tail;

    friend bool operator==(const Key&, const Key&) = default;
  };
  // Of a piece of 1 to kMaxPieceBytes bytes.
  static Key KeyOf(std::string_view piece);
  // The same, where 16 bytes from the piece's begin may be read: faster.
  static Key KeyOfReadable(std::string_view piece) {
    Key key;
    std::memcpy(&key, piece.data(), sizeof(key));
    const Key& mask = kMasks[piece.size()];
    return {key.head & mask.head,
            (key.tail & mask.tail) | uint64_t{piece.size()} << 56};
  }

  // A place in the table, for all lookups of one key.
  using Line = uint32_t;
  static Line LineOf(const Key& key) {
    const auto product =
        static_cast<unsigned __int128>(key.head ^ 0x9fb21c651e98df25) *
        (key.tail ^ 0xa0761d6478bd642f);
    const auto folded = static_cast<uint64_t>(product ^ (product >> 64));
    return static_cast<Line>(folded >> (64 - kLineBits));
  }
  void Prefetch(Line line) const { __builtin_prefetch(&lines_[line]); }

  struct Entry {
    Key key = {0, 0};
    std::array<TokenId, kMaxIds> ids{};
    uint32_t count = 0;

    // Writes kMaxIds ids, of which `count` are the piece's.
    void CopyTo(TokenId* to) const { std::memcpy(to, ids.data(), sizeof(ids)); }
  };
  static_assert(sizeof(Entry) == 32, "two to a cache line");

  // The piece's entry; null where it is not known. Valid until Insert.
  const Entry* Find(const Key& key, Line line) const {
    const TwoEntries& two = lines_[line];
    if (two.newer.key == key) return &two.newer;
    return two.older.key == key ? &two.older : nullptr;
  }
  // At most kMaxIds.
  void Insert(const Key& key, Line line, std::span<const TokenId> ids) {
    TwoEntries& two = lines_[line];
    two.older = two.newer;
    two.newer.key = key;
    two.newer.count = static_cast<uint32_t>(ids.size());
    std::copy(ids.begin(), ids.end(), two.newer.ids.begin());
  }

 private:
  static constexpr int kLineBits = 17;
  struct alignas(64) TwoEntries {
    Entry newer, older;
  };

  static constexpr std::array<Key, kMaxPieceBytes + 1> kMasks = [] {
    std::array<Key, kMaxPieceBytes + 1> masks{};
    for (size_t size = 1; size <= kMaxPieceBytes; ++size) {
      const auto low = [](size_t bytes) {
        return bytes >= 8 ? ~uint64_t{0} : (uint64_t{1} << bytes * 8) - 1;
      };
      masks[size] = {low(size), size > 8 ? low(size - 8) : 0};
    }
    return masks;
  }();

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  // Zeros, which the system gives page by page once they are asked for.
  const std::unique_ptr<void, Free> memory_;
  TwoEntries* const lines_;
};

inline PieceCache::PieceCache()
    : memory_(std::calloc((size_t{1} << kLineBits) + 1, sizeof(TwoEntries))),
      lines_(reinterpret_cast<TwoEntries*>(
          (reinterpret_cast<uintptr_t>(memory_.get()) + alignof(TwoEntries)) &
          ~uintptr_t{alignof(TwoEntries) - 1})) {
  if (memory_ == nullptr) throw std::bad_alloc();
}

inline PieceCache::Key PieceCache::KeyOf(std::string_view piece) {
  char bytes[sizeof(Key)] = {};
  std::memcpy(bytes, piece.data(), piece.size());
  return KeyOfReadable({bytes, piece.size()});
}

}  // namespace penstock
