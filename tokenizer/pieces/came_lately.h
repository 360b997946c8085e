// What lately found no room in a table that is full.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tokenizer/pieces/zero_pages.h"

namespace penstock {

// Most of what is new in a large corpus comes a few times and never again; what
// comes again soon is worth a place that is kept.
//
// Memory:  256 KiB, taken once something comes.
//
// Threads: any number, but for Clear.
class CameLately {
 public:
  // Throws std::bad_alloc.
  CameLately() : pages_(sizeof(uint16_t) << kBits) {}

  void Prefetch(uint32_t hash) const { __builtin_prefetch(&LastOf(hash)); }
  // Whether what hashes so came lately; it now is the last of its place.
  bool Add(uint32_t hash) {
    const auto rest = static_cast<uint16_t>(hash);
    return LastOf(hash).exchange(rest, std::memory_order_relaxed) == rest;
  }
  // While no thread adds.
  void Clear() { pages_.Clear(pages_.size_bytes()); }

 private:
  static constexpr int kBits = 17;

  // By the highest bits of a hash: the others, of the last that came.
  std::atomic<uint16_t>& LastOf(uint32_t hash) const {
    return static_cast<std::atomic<uint16_t>*>(
        pages_.data())[hash >> (32 - kBits)];
  }

  ZeroPages pages_;
};

}  // namespace penstock
