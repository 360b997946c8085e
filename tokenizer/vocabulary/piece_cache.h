// Remembers the ids of short pieces: natural text repeats them so much that
// 99 of 100 are never merged twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/vocabulary/piece_key.h"
#include "tokenizer/vocabulary/zero_pages.h"

namespace penstock {

// A table that grows with the pieces that come, up to kMostBytes. Of the new
// pieces of a large corpus most come a few times and never again: one that
// finds no room takes the place of the second of its line, and only if it came
// not long ago that of the first, so that half of the table stays with what
// comes again. It only ever saves work: ids are the same with and without.
//
//   line   two entries, 64 bytes; those behind it take what it has no room for
//   entry  15 bytes of piece, zeros behind them; its size, 8 bits;
//          four ids, 32 bits each, with their count above the first's; of a
//          piece with more ids kElsewhere is the count, and the second id the
//          place where LongPieces has them
//
// Memory:  512 KiB at first, at most 32 MiB, taken once pieces come to it, and
//          256 KiB once there is no room for a piece.
//
// Threads: one at a time.
class PieceCache {
 public:
  static constexpr size_t kMaxPieceBytes = PieceKey::kMostBytes;
  static constexpr size_t kMaxIds = 4;
  static constexpr size_t kFirstBytes = 512 << 10;
  static constexpr size_t kMostBytes = 32 << 20;

  // `most_bytes` is a power of two, kFirstBytes or more. Throws std::bad_alloc.
  explicit PieceCache(size_t most_bytes = kMostBytes);

  using Key = PieceKey;
  using Hash = uint32_t;
  static Hash HashOf(const Key& key) {
    const auto product =
        static_cast<unsigned __int128>(key.head ^ 0x9fb21c651e98df25) *
        (key.tail ^ 0xa0761d6478bd642f);
    return static_cast<Hash>(product ^ (product >> 64));
  }
  void Prefetch(Hash hash) const {
    __builtin_prefetch(&lines_[hash & line_mask_]);
  }

  // Of what Insert looks at for a piece that is not known.
  void PrefetchForInsert(Hash hash) const {
    if (!lately_.empty()) __builtin_prefetch(&lately_[LatelyOf(hash)]);
  }

  class Entry {
   public:
    bool is_elsewhere() const { return count() == kElsewhere; }
    uint32_t place() const { return ids_[1]; }  // if it is

    // At most kMaxIds if it is not.
    size_t count() const { return ids_[0] >> kCountShift; }
    // Writes kMaxIds ids, of which the first count() are the piece's.
    void CopyTo(TokenId* to) const {
      std::memcpy(to, ids_, sizeof(ids_));
      to[0] &= kIdMask;
    }

   private:
    friend class PieceCache;

    bool IsOf(const Key& key) const {
      return ((key_.head ^ key.head) | (key_.tail ^ key.tail)) == 0;
    }
    bool IsFree() const { return key_.tail == 0; }

    Key key_ = {};
    TokenId ids_[kMaxIds] = {};
  };
  static_assert(sizeof(Entry) == 32, "two to a cache line");

  // The piece's entry; null where it is not known. Valid until Insert.
  const Entry* Find(const Key& key, Hash hash) const {
    const size_t line = hash & line_mask_;
    const Entry* const two = lines_[line].entries;
    const bool second = two[1].IsOf(key);
    // Which of the two it is cannot be foretold: no branch for it.
    if (two[0].IsOf(key) | second) return two + second;
    return FindBeside(key, line);
  }
  // More than kMaxIds are not kept, nor is a first one of 2^24 or above.
  void Insert(const Key& key, Hash hash, std::span<const TokenId> ids);
  void InsertElsewhere(const Key& key, Hash hash, uint32_t place);

  void Clear();

  // Of what was taken so far.
  size_t size_bytes() const { return pages_.size_bytes(); }

 private:
  static constexpr int kCountShift = 24;
  static constexpr size_t kElsewhere = 0xff;
  static constexpr TokenId kIdMask = (TokenId{1} << kCountShift) - 1;
  // Lines where a piece may be. With more, a new piece has more to look at in a
  // full table; with fewer, more find no room in one that may still grow: 1 of
  // 100 with 4.
  static constexpr size_t kReach = 4;
  static constexpr int kLatelyBits = 17;
  static size_t LatelyOf(Hash hash) { return hash >> (32 - kLatelyBits); }
  struct alignas(64) Line {
    Entry entries[2];
  };

  const Entry* FindBeside(const Key& key, size_t line) const;
  // Whether a piece that hashes so found no room lately; it now is the last.
  bool CameLately(Hash hash);
  // The piece's, else one that is free, else one to take.
  Entry& PlaceFor(const Key& key, Hash hash);
  void Put(Hash hash, const Entry& entry);
  void UsePages();
  void Grow();

  const size_t most_bytes_;
  ZeroPages pages_;
  Line* lines_;  // in pages_
  size_t line_mask_;
  size_t used_ = 0;  // entries
  // The last piece of each LatelyOf() that found no room, by the other bits of
  // its hash; none before there is one.
  std::vector<uint16_t> lately_;
};

}  // namespace penstock
