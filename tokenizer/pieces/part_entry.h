// What is remembered of a short part of text, as threads share it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tokenizer/interface/tokenizer.h"

namespace penstock {

// The bytes of a part, zeros, and the size in the last byte.
struct PartKey {
  static constexpr size_t kMostBytes = 23;

  // Of 1 to kMostBytes bytes, with kMostBytes that may be read.
  static PartKey Of(const char* part, size_t size) {
    const unsigned char* const keep = kKeep + kMostBytes + 1 - size;
    return {WordAt(part) & WordAt(keep), WordAt(part + 8) & WordAt(keep + 8),
            (WordAt(part + 16) & WordAt(keep + 16)) | uint64_t{size} << 56};
  }
  bool operator==(const PartKey&) const = default;

  uint64_t words[3];

 private:
  static uint64_t WordAt(const void* at) {
    uint64_t word;
    std::memcpy(&word, at, sizeof(word));
    return word;
  }

  // A window on it of 24 bytes keeps the first bytes and clears the others.
  static constexpr unsigned char kKeep[2 * kMostBytes + 2] = {
      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
};

struct PartIds {
  static constexpr size_t kMost = 8;

  static constexpr uint32_t kMostSafeScore = uint32_t{1} << 31;

  // Whether text without a piece is in the part.
  enum class Unknown : uint8_t {
    kNone,
    kAlone,  // it is one such character, and the ids are PieceSink's for it
    kAmong,
  };

  TokenId ids[kMost];
  uint8_t count;
  Unknown unknown;
  uint16_t reach;  // see PathScore
  // They hold as long as the path's score so far is nearer to 0 than this.
  uint32_t safe_score;
};

// A place for a part: zeros where it is free. While it is a part's, nothing of
// it changes. Only who has taken it may write it, once nobody looks at what it
// was before.
//
// Threads: any number at a time, but for Free.
class alignas(64) PartEntry {
 public:
  struct Content {
    PartKey key;
    PartIds ids;
  };

  bool IsOf(const PartKey& key) const {
    return last().load(std::memory_order_acquire) == key.words[2] &&
           words_[0].load(std::memory_order_relaxed) == key.words[0] &&
           words_[1].load(std::memory_order_relaxed) == key.words[1];
  }
  // If it is a part's.
  const PartIds& ids() const { return ids_; }

  bool IsFree() const { return last_word() == 0; }
  bool IsFilled() const { return last_word() > kTaken; }
  // Whether it was free, or a part's, and now is the caller's to write.
  bool TakeFree() {
    uint64_t word = 0;
    return IsFree() && words_[2].compare_exchange_strong(
                           word, kTaken, std::memory_order_relaxed);
  }
  bool TakeFilled() {
    uint64_t word = last_word();
    return word != kTaken && words_[2].compare_exchange_strong(word, kTaken);
  }
  void Write(const Content& content) {
    ids_ = content.ids;
    words_[0].store(content.key.words[0], std::memory_order_relaxed);
    words_[1].store(content.key.words[1], std::memory_order_relaxed);
    words_[2].store(content.key.words[2], std::memory_order_release);
  }

  // What it has, if it IsFilled. While nobody looks.
  Content Free() {
    const Content content = {{words_[0].load(), words_[1].load(), last_word()},
                             ids_};
    words_[2].store(0, std::memory_order_relaxed);
    return content;
  }

 private:
  // The last word of an entry that is being written, or waits for that: no
  // part's, which has its size there.
  static constexpr uint64_t kTaken = 1;

  const std::atomic<uint64_t>& last() const { return words_[2]; }
  uint64_t last_word() const { return last().load(std::memory_order_relaxed); }

  // Words of the key; the last is written last, and read first.
  std::atomic<uint64_t> words_[3];
  PartIds ids_;
};
static_assert(sizeof(PartEntry) == 64, "one to a cache line");

}  // namespace penstock
