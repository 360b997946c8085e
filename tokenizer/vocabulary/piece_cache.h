// Remembers the ids of short pieces: natural text repeats them so much that
// nine of ten are never merged twice.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "tokenizer/interface/tokenizer.h"

namespace penstock {

// A table of fixed size, 8 MiB, where a new piece replaces the older of the two
// that hash alike. It only ever saves work: ids are the same with and without.
// Its memory is taken once pieces come to it, in huge pages if the system can.
//
// Threads: one at a time.
class PieceCache {
 public:
  static constexpr size_t kMaxPieceBytes = 15;
  static constexpr size_t kMaxIds = 4;

  // Throws std::bad_alloc.
  PieceCache();
  ~PieceCache();
  PieceCache(const PieceCache&) = delete;
  PieceCache& operator=(const PieceCache&) = delete;

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

  class Entry {
   public:
    size_t count() const { return tail_ >> kCountShift; }
    std::span<const TokenId> ids() const { return {ids_, count()}; }
    // Writes kMaxIds ids, of which the first count() are the piece's.
    void CopyTo(TokenId* to) const { std::memcpy(to, ids_, sizeof(ids_)); }

   private:
    friend class PieceCache;

    bool IsOf(const Key& key) const {
      constexpr int kCountBits = 64 - kCountShift;
      return head_ == key.head && tail_ << kCountBits == key.tail << kCountBits;
    }

    // The key, but for the count above the size.
    uint64_t head_ = 0, tail_ = 0;
    TokenId ids_[kMaxIds] = {};
  };
  static_assert(sizeof(Entry) == 32, "two to a cache line");

  // The piece's entry; null where it is not known. Valid until Insert.
  const Entry* Find(const Key& key, Line line) const {
    const TwoEntries& two = lines_[line];
    if (two.newer.IsOf(key)) return &two.newer;
    return two.older.IsOf(key) ? &two.older : nullptr;
  }
  // At most kMaxIds.
  void Insert(const Key& key, Line line, std::span<const TokenId> ids) {
    TwoEntries& two = lines_[line];
    two.older = two.newer;
    two.newer.head_ = key.head;
    two.newer.tail_ = key.tail | uint64_t{ids.size()} << kCountShift;
    std::copy(ids.begin(), ids.end(), two.newer.ids_);
  }

 private:
  static constexpr int kLineBits = 17;
  static constexpr int kCountShift = 60;  // sizes end below 2^4
  struct alignas(64) TwoEntries {
    Entry newer, older;
  };

  static constexpr size_t kTableBytes = sizeof(TwoEntries) << kLineBits;

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

  void* const memory_;
  TwoEntries* const lines_;  // in memory_, zeros at first
};

inline PieceCache::Key PieceCache::KeyOf(std::string_view piece) {
  char bytes[sizeof(Key)] = {};
  std::memcpy(bytes, piece.data(), piece.size());
  return KeyOfReadable({bytes, piece.size()});
}

}  // namespace penstock
