// How a table that threads share puts what is new in the place of what is old.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "tokenizer/pieces/readers.h"

namespace penstock {

// An entry whose place is taken is no longer found, but written only once those
// have left who may have found it: until then what is new waits.
//
// An Entry can be TakeFilled and then does not change until Write(Content).
//
// Threads: any number that are inside as readers.
template <typename Entry>
class TakenPlaces {
 public:
  using Content = typename Entry::Content;
  // As many are written at a time.
  static constexpr size_t kMostWaiting = 32;

  // `readers` must outlive it. Throws std::bad_alloc.
  explicit TakenPlaces(Readers& readers) : readers_(readers) {
    waiting_.reserve(kMostWaiting);
  }

  // Content that finds a thread at this, or places that may not be written yet,
  // gets none. `self` is the caller's, inside.
  void Take(const Readers::Reader& self, Entry& entry, const Content& content) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    if (waiting_since_ != 0) {
      if (!readers_.HavePassed(waiting_since_, self)) return;
      for (const Waiting& last : waiting_) last.entry->Write(last.content);
      Clear();
    }
    if (!entry.TakeFilled()) return;
    // Alone, it need not wait.
    if (readers_.has_one() && readers_.HavePassed(readers_.Stamp(), self)) {
      return entry.Write(content);
    }
    waiting_.push_back({&entry, content});
    if (waiting_.size() == kMostWaiting) waiting_since_ = readers_.Stamp();
  }

  // Forgets what waits, while no reader is inside.
  void Clear() {
    waiting_.clear();
    waiting_since_ = 0;
  }

 private:
  struct Waiting {
    Entry* entry;
    Content content;
  };

  Readers& readers_;
  std::mutex mutex_;
  // Guarded by it, or by nobody being inside.
  std::vector<Waiting> waiting_;  // their entries are taken
  uint64_t waiting_since_ = 0;    // a stamp, once they are kMostWaiting
};

}  // namespace penstock
