// What is remembered of a short piece, as threads share it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/pieces/piece_key.h"

namespace penstock {

// The ids of a piece, or the place where LongPieces has them: two words.
//
//   ids    four, 32 bits each, with their count above the first's, 8 bits
//   place  kElsewhere is the count; the second word, 64 bits
class PieceIds {
 public:
  static constexpr size_t kMost = 4;

  // Whether there are few enough, and the first is below 2^24.
  static bool CanBe(std::span<const TokenId> ids) {
    return ids.size() <= kMost && (ids.empty() || ids[0] >> kCountShift == 0);
  }
  static PieceIds Of(std::span<const TokenId> ids) {
    std::array<TokenId, kMost> all = {};
    std::ranges::copy(ids, all.begin());
    all[0] |= static_cast<TokenId>(ids.size()) << kCountShift;
    PieceIds made;
    std::memcpy(made.words, all.data(), sizeof(made.words));
    return made;
  }
  static PieceIds AtPlace(uint64_t place) {
    return {{kElsewhere << kCountShift, place}};
  }

  bool is_elsewhere() const { return count() == kElsewhere; }
  uint64_t place() const { return words[1]; }  // if it is

  // At most kMost if it is not.
  size_t count() const {
    return static_cast<uint32_t>(words[0]) >> kCountShift;
  }
  // Writes kMost ids, of which the first count() are the piece's.
  void CopyTo(TokenId* to) const {
    constexpr uint64_t kCountMask = uint64_t{0xff} << kCountShift;
    const uint64_t ids[] = {words[0] & ~kCountMask, words[1]};
    std::memcpy(to, ids, sizeof(ids));
  }

  uint64_t words[2];

 private:
  static constexpr int kCountShift = 24;
  static constexpr uint64_t kElsewhere = 0xff;
};

// A place for a piece: zeros where it is free. While it is a piece's, nothing
// of it changes but where its ids are, if they are elsewhere. Only who has
// taken it may write it, once nobody looks at what it was before.
//
// Threads: any number at a time, but for Free.
class PieceEntry {
 public:
  struct Content {
    PieceKey key;
    PieceIds ids;
  };

  bool IsOf(PieceKey key) const {
    const uint64_t tail = tail_.load(std::memory_order_acquire);
    const uint64_t head = head_.load(std::memory_order_relaxed);
    return ((head ^ key.head) | (tail ^ key.tail)) == 0;
  }
  PieceIds ids() const {
    return {{ids_[0].load(std::memory_order_relaxed),
             ids_[1].load(std::memory_order_acquire)}};
  }

  bool IsFree() const { return tail() == 0; }
  bool IsFilled() const { return tail() > kTaken; }
  // Whether it was free, or a piece's, and now is the caller's to write.
  bool TakeFree() {
    uint64_t tail = 0;
    return IsFree() && tail_.compare_exchange_strong(tail, kTaken,
                                                     std::memory_order_relaxed);
  }
  bool TakeFilled() {
    uint64_t tail = this->tail();
    return tail != kTaken && tail_.compare_exchange_strong(tail, kTaken);
  }
  void Write(const Content& content) {
    head_.store(content.key.head, std::memory_order_relaxed);
    ids_[0].store(content.ids.words[0], std::memory_order_relaxed);
    ids_[1].store(content.ids.words[1], std::memory_order_relaxed);
    tail_.store(content.key.tail, std::memory_order_release);
  }
  // Of ids that are elsewhere.
  void SetPlace(uint64_t place) {
    ids_[1].store(place, std::memory_order_release);
  }

  // What it has, if it IsFilled. While nobody looks.
  Content Free() {
    const Content content = {{head_.load(), tail()}, ids()};
    tail_.store(0, std::memory_order_relaxed);
    return content;
  }

 private:
  // The tail of an entry that is being written, or waits for that: no piece's.
  static constexpr uint64_t kTaken = 1;

  uint64_t tail() const { return tail_.load(std::memory_order_relaxed); }

  // Words of the key; the tail is written last, and read first.
  std::atomic<uint64_t> head_, tail_;
  std::atomic<uint64_t> ids_[2];
};
static_assert(sizeof(PieceEntry) == 32, "two to a cache line");

}  // namespace penstock
