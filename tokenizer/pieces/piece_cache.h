// Remembers the ids of short pieces: natural text repeats them so much that
// 99 of 100 are never merged twice.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/pieces/came_lately.h"
#include "tokenizer/pieces/inserter.h"
#include "tokenizer/pieces/line_bits.h"
#include "tokenizer/pieces/piece_entry.h"
#include "tokenizer/pieces/piece_key.h"
#include "tokenizer/pieces/readers.h"
#include "tokenizer/pieces/shared_growth.h"
#include "tokenizer/pieces/taken_places.h"
#include "tokenizer/pieces/zero_pages.h"

namespace penstock {

// A table that grows with the pieces that come, up to kMostBytes. Of the new
// pieces of a large corpus most come a few times and never again: one that
// finds no room takes the place of the second of its line, and only if it came
// not long ago that of the first, so that half of the table stays with what
// comes again. It only ever saves work: ids are the same with and without.
//
// Its lines have two entries, 64 bytes; those behind a line take what it has no
// room for.
//
// Memory:  512 KiB at first, at most 128 MiB, taken once pieces come to it, and
//          768 KiB as there is no room for some.
//
// Threads: any number that are inside as readers; see MakeRoom and Clear.
class PieceCache {
 public:
  static constexpr size_t kMaxPieceBytes = PieceKey::kMostBytes;
  static constexpr size_t kMaxIds = PieceIds::kMost;
  static constexpr size_t kFirstBytes = 512 << 10;
  static constexpr size_t kMostBytes = 128 << 20;

  // `readers` must outlive it. `most_bytes` is a power of two, kFirstBytes or
  // more. Throws std::bad_alloc.
  explicit PieceCache(Readers& readers, size_t most_bytes = kMostBytes);

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
    if (is_full_size_) lately_.Prefetch(hash);
  }

  // The piece's entry; null where it is not known. Valid while the caller stays
  // inside, until it inserts.
  const PieceEntry* Find(Key key, Hash hash) const {
    const size_t line = hash & line_mask_;
    const PieceEntry* const two = lines_[line].entries;
    if (two[0].IsOf(key)) [[likely]] {
      return two;
    }
    if (two[1].IsOf(key)) return two + 1;
    return FindBeside(key, line);
  }
  // More than kMaxIds are not kept, nor is a first one of 2^24 or above. A
  // piece has the same ids each time.
  void Insert(Inserter& by, const Key& key, Hash hash,
              std::span<const TokenId> ids);
  // Also of a piece whose ids were at another place.
  void InsertElsewhere(Inserter& by, const Key& key, Hash hash, uint64_t place);

  // Whether MakeRoom is to be called, by a thread whose reader is outside:
  // then it grows, unless another thread is at it or stays inside for long.
  bool WantsRoom() const { return growth_.IsWanted(); }
  void MakeRoom();

  // While no reader is inside.
  void Clear();

  // Of what was taken so far. While no other thread is inside.
  size_t size_bytes() const { return pages_.size_bytes(); }

 private:
  // Lines where a piece may be. With more, a new piece has more to look at in a
  // full table; with fewer, more find no room in one that may still grow: 1 of
  // 100 with 4.
  static constexpr size_t kReach = 4;
  struct alignas(64) Line {
    PieceEntry entries[2];
  };

  const PieceEntry* FindBeside(Key key, size_t line) const;
  using Content = PieceEntry::Content;
  void Put(Inserter& by, Hash hash, const Content& content);
  // Where it is known or there is room. False: neither.
  bool PutInRoom(Inserter& by, Hash hash, const Content& content);
  void UsePages();
  void Grow();
  // Of so many lines, puts the entries of those from `begin` to `end` anew;
  // returns how many there are. Others may do so with other lines.
  size_t PutAnew(size_t lines, size_t begin, size_t end);

  Readers& readers_;
  const size_t most_bytes_;
  // Changed while no reader is inside.
  ZeroPages pages_;
  Line* lines_;  // in pages_
  size_t line_mask_;
  bool is_full_size_;
  // Whether a piece that hashes to a line is beside it; where the table may not
  // grow, whether there is no room for another.
  LineBits has_beside_, is_crowded_;
  CameLately lately_;
  // Counts entries with a piece, and pieces that found no room while it may
  // grow.
  SharedGrowth growth_;
  TakenPlaces<PieceEntry> places_;
};

}  // namespace penstock
