#include "tokenizer/piece_cache.h"

namespace penstock {

PieceCaches::~PieceCaches() {
  for (Slot& slot : slots_) delete slot.cache.load(std::memory_order_acquire);
}

size_t PieceCaches::SlotOfThread() {
  static std::atomic<size_t> threads = 0;
  thread_local const size_t number =
      threads.fetch_add(1, std::memory_order_relaxed);
  return number % kSlots;
}

PieceCaches::Lease::Lease(PieceCaches& caches)
    : home_(caches.slots_[SlotOfThread()].cache),
      cache_(home_.exchange(nullptr, std::memory_order_acquire)) {
  if (cache_ == nullptr) cache_ = std::make_unique<PieceCache>();
}

PieceCaches::Lease::~Lease() {
  delete home_.exchange(cache_.release(), std::memory_order_acq_rel);
}

}  // namespace penstock
