// Remembers the ids of pieces that PieceCache has no room for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/vocabulary/zero_pages.h"

namespace penstock {

// A ring of words in which the newest piece takes the place of the oldest, and
// an index of where they are.
//
//   index   lines of eight slots: hash, 32 bits; word that the record begins
//           at, 32 bits, counted from the first that was ever written
//   record  size of the piece; count of ids; ids; the piece, padded with
//           zeros: words of 32 bits
//
// Memory:  at most 36 MiB, taken once pieces come to it.
//
// Threads: one at a time.
class LongPieces {
 public:
  static constexpr size_t kMaxPieceBytes = 2048;
  static constexpr size_t kRingBytes = 32 << 20;
  static constexpr size_t kIndexBytes = 4 << 20;

  // Counts words from `first_word`, above 0. Throws std::bad_alloc.
  explicit LongPieces(uint32_t first_word = 1)
      : index_(kIndexBytes), ring_(kRingBytes), end_(first_word) {}

  // The count of words is about to end: Clear before a million more, and forget
  // all places.
  bool is_worn() const { return end_ >= kWorn; }
  void Clear();

  static uint64_t HashOf(std::string_view piece);
  void Prefetch(uint64_t hash) const { __builtin_prefetch(LineOf(hash)); }

  // Where a piece is that hashes so; 0 if there is none.
  uint32_t PlaceOf(uint64_t hash) const;
  void PrefetchAt(uint32_t place) const { __builtin_prefetch(WordsAt(place)); }

  // The ids of the piece. Valid until Insert.
  std::optional<std::span<const TokenId>> Find(std::string_view piece,
                                               uint64_t hash) const;
  // Of a piece that Find does not find; those above kMaxPieceBytes or with
  // more ids than bytes are not kept.
  void Insert(std::string_view piece, uint64_t hash,
              std::span<const TokenId> ids);

  // Without the index, for who remembers places: that of a record, at most
  // kMaxPieceBytes long, and its ids if it is still there.
  uint32_t Append(std::string_view piece, std::span<const TokenId> ids);
  std::optional<std::span<const TokenId>> At(uint32_t place,
                                             std::string_view piece) const;

 private:
  static constexpr size_t kSlots = 8;  // of a line
  static constexpr uint32_t kRingWords = kRingBytes / 4;
  static constexpr uint32_t kHeaderWords = 2;
  static constexpr uint32_t kWorn = 0xffffffff - 2 * kRingWords;
  struct Slot {
    uint32_t hash;
    uint32_t place;
  };

  Slot* LineOf(uint64_t hash) const {
    return static_cast<Slot*>(index_.data()) +
           (hash >> 32) % (kIndexBytes / sizeof(Slot) / kSlots) * kSlots;
  }
  uint32_t* WordsAt(uint32_t place) const {
    return static_cast<uint32_t*>(ring_.data()) + place % kRingWords;
  }
  // Whether what was written there still is. Place 0 is never written.
  bool IsThere(uint32_t place) const {
    return place != 0 && end_ - place <= kRingWords;
  }

  ZeroPages index_;
  ZeroPages ring_;
  uint32_t end_;  // the word to write next
};

}  // namespace penstock
