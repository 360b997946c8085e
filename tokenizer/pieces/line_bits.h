// A bit for each line of a table that threads share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tokenizer/pieces/zero_pages.h"

namespace penstock {

// Memory:  a bit for each line, taken once bits near it are set.
//
// Threads: any number, but for Clear.
class LineBits {
 public:
  // Throws std::bad_alloc.
  explicit LineBits(size_t most_lines) : pages_(most_lines / 8) {}

  bool Has(size_t line) const {
    return (WordOf(line).load(std::memory_order_relaxed) >> line % 64 & 1) != 0;
  }
  void Set(size_t line) {
    if (Has(line)) return;
    WordOf(line).fetch_or(uint64_t{1} << line % 64, std::memory_order_relaxed);
  }
  // While no thread looks.
  void Clear() { pages_.Clear(pages_.size_bytes()); }

 private:
  std::atomic<uint64_t>& WordOf(size_t line) const {
    return static_cast<std::atomic<uint64_t>*>(pages_.data())[line / 64];
  }

  ZeroPages pages_;
};

}  // namespace penstock
