// Remembers the ids of pieces that PieceCache has no room for, up to 32 KiB.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>

#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/pieces/came_lately.h"
#include "tokenizer/pieces/inserter.h"
#include "tokenizer/pieces/readers.h"
#include "tokenizer/pieces/shared_growth.h"
#include "tokenizer/pieces/zero_pages.h"

namespace penstock {

// A ring of words in which the newest piece takes the place of the oldest, and
// an index of where they are. Segment by segment: none of one is found any more
// once it is the next to be written, and it is written once those have left who
// may have found one of it. Pieces that come before are not kept.
//
//   index   lines of eight slots: bits of the hash, 16; word that the record
//           begins at, 48 bits, counted from the first that was ever written
//   record  count of ids; ids; and where it is found by the index, the size of
//           the piece and the piece, padded with zeros: words of 32 bits
//
// Memory:  the ring, for its index an eighth of that, 4 MiB at least, and
//          256 KiB: 144.25 MiB. Taken once pieces come to it: the index grows
//          with what there is of the ring.
//
// Threads: any number that are inside as readers; see MakeRoom and Clear.
class LongPieces {
 public:
  static constexpr size_t kMaxPieceBytes = 32 << 10;
  // Longer ones are kept if they came lately: most never come again, and each
  // takes the place of many.
  static constexpr size_t kKeptAtOnceBytes = 2048;
  // Once the ring is full so are all but one of so many: of a text that has up
  // to so many times more, some are still there when it comes again.
  static constexpr size_t kKeptOfFull = 8;
  static constexpr size_t kRingBytes = 128 << 20;
  static constexpr size_t kSegments = 32;  // of the ring
  static constexpr size_t kFirstIndexBytes = 4 << 20;

  // `readers` must outlive it. `ring_bytes` is a power of two that has room for
  // the largest record in a segment. Counts words from `first_word`, above 0.
  // Throws std::bad_alloc.
  explicit LongPieces(Readers& readers, size_t ring_bytes = kRingBytes,
                      uint64_t first_word = 1);

  // Whether MakeRoom is to be called, by a thread whose reader is outside:
  // then the index grows, unless another thread is at it or stays inside for
  // long.
  bool WantsRoom() const { return growth_.IsWanted(); }
  void MakeRoom();

  // While no reader is inside.
  void Clear();

  static uint64_t HashOf(std::string_view piece);
  void Prefetch(uint64_t hash) const { __builtin_prefetch(LineOf(hash)); }

  // Where a piece is that hashes so by the index; 0 if there is none.
  uint64_t PlaceOf(uint64_t hash) const;
  void PrefetchAt(uint64_t place) const { __builtin_prefetch(WordsAt(place)); }

  // The ids of the piece. Valid while the caller stays inside.
  std::optional<std::span<const TokenId>> Find(std::string_view piece,
                                               uint64_t hash) const;
  // The same if it is the one at that place.
  std::optional<std::span<const TokenId>> FindAt(uint64_t place,
                                                 std::string_view piece) const;
  // Of a piece that Find did not find; those above kMaxPieceBytes or with
  // more ids than bytes are not kept.
  void Insert(Inserter& by, std::string_view piece, uint64_t hash,
              std::span<const TokenId> ids);

  // Without the index, for who remembers what is at which place: where at most
  // kMaxPieceBytes of ids are, or 0 if they are not kept; and they if they are
  // still there, valid as those of Find.
  uint64_t Append(Inserter& by, std::span<const TokenId> ids);
  std::optional<std::span<const TokenId>> At(uint64_t place) const;

 private:
  static constexpr size_t kSlots = 8;  // of a line
  // Of the ring, for each byte of an index that may still grow, of the largest.
  static constexpr size_t kRingOfIndex = 4, kRingOfMostIndex = 8;
  // What a thread takes of the ring at a time, so that no two write beside each
  // other.
  static constexpr uint64_t kChunkWords = 4096;
  static constexpr int kPlaceBits = 48;
  static constexpr uint64_t kPlaceMask = (uint64_t{1} << kPlaceBits) - 1;
  static constexpr int kLineAt = 32;
  using Slot = std::atomic<uint64_t>;

  // By the bits before a tag. As it grows, also by those that a tag begins
  // with, so that it needs no more than the slots to grow.
  Slot* LineOf(uint64_t hash) const {
    return static_cast<Slot*>(index_.data()) +
           (hash >> kLineAt & line_mask_) * kSlots;
  }
  static uint64_t TagOf(uint64_t hash) { return hash & ~kPlaceMask; }
  uint32_t* WordsAt(uint64_t place) const {
    return static_cast<uint32_t*>(ring_.data()) + (place & (ring_words_ - 1));
  }
  // Whether what was written there still is. Place 0 is never written.
  bool IsThere(uint64_t place) const {
    return place >= first_there_.load(std::memory_order_relaxed);
  }
  // Whether a new piece is worth a place.
  bool IsKept(size_t bytes, uint64_t hash);
  static uint64_t EndOfChunk(uint64_t place) {
    return (place + kChunkWords - 1) / kChunkWords * kChunkWords;
  }
  // A record of so many words; 0: there is no place for it.
  uint64_t TakePlace(Inserter& by, uint64_t words);
  // The same behind all that is taken, or from `rest` on where what is behind
  // it in its chunk is the caller's, and all that is taken ends there.
  uint64_t TakeChunks(const Readers::Reader& self, uint64_t words,
                      uint64_t rest);
  // Writes the ids; returns what is behind them.
  uint32_t* WriteIds(uint64_t place, std::span<const TokenId> ids);
  void OpenSegment(const Readers::Reader& self);
  void UseIndex();
  void Grow();

  Readers& readers_;
  const uint64_t ring_words_, segment_words_, most_index_bytes_;
  // The first two are changed while no reader is inside.
  ZeroPages index_;
  size_t line_mask_;
  ZeroPages ring_;
  // Words, the first three: taken <= open <= first that is there +
  // ring_words_. The first is written more often than the others.
  alignas(64) std::atomic<uint64_t> taken_end_;
  alignas(64) std::atomic<uint64_t> open_end_;
  std::atomic<uint64_t> first_there_;
  uint64_t first_word_;  // since Clear: if it is not there, the ring is full
  CameLately lately_;
  std::mutex mutex_;
  uint64_t closed_since_ = 0;  // guarded by mutex_; the oldest segment's stamp
  // Counts words that are taken.
  SharedGrowth growth_;
};

}  // namespace penstock
