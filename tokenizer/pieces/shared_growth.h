// When a table that threads share becomes larger.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>

#include "formats/memory/huge_pages.h"
#include "tokenizer/pieces/inserter.h"
#include "tokenizer/pieces/readers.h"
#include "tokenizer/pieces/zero_pages.h"

namespace penstock {

// Threads: any number at a time, but for Begin.
class SharedGrowth {
 public:
  static constexpr size_t kNever = SIZE_MAX / 2;
  static constexpr size_t kPortion = 64;

  // `readers` must outlive it.
  explicit SharedGrowth(Readers& readers) : readers_(readers) {}

  // Counts from none, and is wanted at `most`. While no reader is inside.
  void Begin(size_t most) {
    used_ = 0;
    grow_at_ = most;
  }
  void Count(size_t more) { used_.fetch_add(more, std::memory_order_relaxed); }
  // One more, told with others of the same inserter once they are kPortion: so
  // it is wanted as many for each inserter later, at most.
  void CountOne(Inserter& by) {
    if (++by.own % kPortion == 0) Count(kPortion);
  }

  bool IsWanted() const {
    return used_.load(std::memory_order_relaxed) >=
           grow_at_.load(std::memory_order_relaxed);
  }
  // Calls `grow`, which calls Begin, while no reader is inside; the caller's
  // must be outside. Not if another thread is at it or stays inside for long:
  // then it is wanted again later. What `grow` throws goes on.
  void Grow(const std::function<void()>& grow) {
    // One thread is enough.
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || !IsWanted()) return;
    const bool was_alone = readers_.TryWhileAlone([&] {
      if (IsWanted()) grow();
    });
    // Again once that many more have come.
    if (!was_alone) grow_at_ += used_ / 16;
  }

  // Within `grow`: doubles the table's pages. Threads that wait take some of
  // the memory, a huge page at a time.
  void Double(ZeroPages& pages) {
    const size_t before = pages.size_bytes();
    pages.GrowTo(before * 2);
    const size_t share_bytes = std::min(before, kHugePageBytes);
    const auto take = [&](size_t share) {
      pages.Take(before + share * share_bytes, share_bytes);
    };
    readers_.ChangeTogether(before / share_bytes, std::ref(take));
  }

 private:
  Readers& readers_;
  std::mutex mutex_;
  // Written by who inserts.
  alignas(64) std::atomic<size_t> used_ = 0;
  std::atomic<size_t> grow_at_ = kNever;
};

}  // namespace penstock
