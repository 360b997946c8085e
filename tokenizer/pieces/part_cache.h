// Remembers the ids of short parts of text: natural text repeats them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tokenizer/pieces/came_lately.h"
#include "tokenizer/pieces/inserter.h"
#include "tokenizer/pieces/long_pieces.h"
#include "tokenizer/pieces/part_entry.h"
#include "tokenizer/pieces/readers.h"
#include "tokenizer/pieces/shared_growth.h"
#include "tokenizer/pieces/taken_places.h"
#include "tokenizer/pieces/zero_pages.h"

namespace penstock {

// A table that grows with the parts that come, up to kMostBytes. Sets of two
// entries; a part that finds none free takes the place of the second, and of
// the first if it came not long ago: see PieceCache.
//
// Memory:  512 KiB at first, at most 128 MiB, taken once parts come to it, and
//          256 KiB once there is no room for a part.
//
// Threads: any number that are inside as readers; see MakeRoom and Clear.
class PartCache {
 public:
  static constexpr size_t kFirstBytes = 512 << 10;
  static constexpr size_t kMostBytes = 128 << 20;

  // `readers` must outlive it. `most_bytes` is a power of two, kFirstBytes or
  // more. Throws std::bad_alloc.
  explicit PartCache(Readers& readers, size_t most_bytes = kMostBytes);

  // The two entries where the part's ids may be. Valid while the caller stays
  // inside.
  PartEntry* SetOf(const PartKey& key) const {
    return entries_ + 2 * (HashOf(key) & set_mask_);
  }
  // What is remembered of a part in its set; null if it is not known. Valid
  // while the caller stays inside, until it inserts.
  static const PartIds* Find(const PartEntry* set, const PartKey& key) {
    // The first to come, most often a frequent one, stands where the processor
    // looks first.
    if (set[0].IsOf(key)) return &set[0].ids();
    if (set[1].IsOf(key)) return &set[1].ids();
    return nullptr;
  }
  // Of a part that Find does not find, to its set. A part has the same ids each
  // time.
  void Insert(Inserter& by, PartEntry* set, const PartEntry::Content& content);

  // Whether MakeRoom is to be called, by a thread whose reader is outside:
  // then it grows, unless another thread is at it or stays inside for long.
  bool WantsRoom() const { return growth_.IsWanted(); }
  void MakeRoom();

  // While no reader is inside.
  void Clear();

  // Of what was taken so far. While no other thread is inside.
  size_t size_bytes() const { return pages_.size_bytes(); }

 private:
  static uint32_t HashOf(const PartKey& key) {
    constexpr uint64_t kMultiplier = 0x9fb21c651e98df25;
    const auto product = static_cast<unsigned __int128>(
                             key.words[0] ^ key.words[2] * kMultiplier) *
                         (key.words[1] ^ 0xa0761d6478bd642f);
    return static_cast<uint32_t>(product ^ (product >> 64));
  }
  // Where there is room, or it is known. False: neither.
  bool PutInRoom(Inserter& by, PartEntry* set,
                 const PartEntry::Content& content);
  void UsePages();
  void Grow();
  // Puts the entries of the sets from `begin` to `end` anew; returns how many
  // there are. Others may do so with other sets.
  size_t PutAnew(size_t begin, size_t end);

  Readers& readers_;
  const size_t most_bytes_;
  // Changed while no reader is inside.
  ZeroPages pages_;
  PartEntry* entries_;  // in pages_
  size_t set_mask_;
  CameLately lately_;
  SharedGrowth growth_;
  TakenPlaces<PartEntry> places_;
};

// What the threads of a tokenizer remember of parts.
//
// Threads: any number, each with a reader of its own.
struct SharedParts {
  // There are fewer long ones: indents with a word behind, lines of one sign.
  static constexpr size_t kLongRingBytes = 32 << 20;

  // Gives back all memory that parts came to. Waits until no thread is inside.
  void Clear() {
    readers.WhileAlone([this] {
      parts.Clear();
      long_parts.Clear();
    });
  }

  Readers readers;
  PartCache parts{readers};
  // Those that PartCache has no room for, of who looks for them.
  LongPieces long_parts{readers, kLongRingBytes};
};

}  // namespace penstock
