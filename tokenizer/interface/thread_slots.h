// Things that are dear to make and used by one thread at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace penstock {

// What NumberOfThread gives, and one more; 0: it was not called yet.
inline constinit thread_local size_t taken_thread_number = 0;
void TakeThreadNumber();

// A number of the calling thread, the same as long as it runs: the smallest
// that no other running thread had when this was first called. Locks only then,
// and when the thread ends.
inline size_t NumberOfThread() {
  if (taken_thread_number == 0) TakeThreadNumber();
  return taken_thread_number - 1;
}

// Lends each caller a T of its own, most often the one that its thread had
// before, or else a thread that has ended: what was learned outlives threads.
// Memory:  at most 64 of them while nobody has one.
//
// Threads: any number at a time; never waits.
template <typename T>
class ThreadSlots {
 public:
  ThreadSlots() = default;
  ~ThreadSlots() {
    for (Slot& slot : slots_) delete slot.thing.load(std::memory_order_acquire);
  }
  ThreadSlots(const ThreadSlots&) = delete;
  ThreadSlots& operator=(const ThreadSlots&) = delete;

  // Lends a T as long as it lives, where the slot is empty a new one, made of
  // `parts`.
  class Lease {
   public:
    template <typename... Parts>
    explicit Lease(ThreadSlots& slots, Parts&... parts)
        : slots_(slots), thing_(slots.Take()) {
      if (thing_ == nullptr) thing_ = std::make_unique<T>(parts...);
    }
    ~Lease() { slots_.GiveBack(std::move(thing_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    T& operator*() const { return *thing_; }
    T* operator->() const { return thing_.get(); }

   private:
    ThreadSlots& slots_;
    std::unique_ptr<T> thing_;
  };

  // Gives up the things that nobody has, of all threads.
  void Clear() {
    static_assert(sizeof(T) > 0, "else its destructor would not run");
    for (Slot& slot : slots_) {
      delete slot.thing.exchange(nullptr, std::memory_order_acquire);
    }
  }

  // Null if the slot is empty: the caller then makes one.
  std::unique_ptr<T> Take() {
    return std::unique_ptr<T>(
        OwnSlot().exchange(nullptr, std::memory_order_acquire));
  }
  void GiveBack(std::unique_ptr<T> thing) {
    delete OwnSlot().exchange(thing.release(), std::memory_order_acq_rel);
  }

 private:
  static constexpr size_t kSlots = 64;
  struct alignas(64) Slot {
    // Null while its thing is lent. Taken with acquire, given with release.
    std::atomic<T*> thing = nullptr;
  };

  std::atomic<T*>& OwnSlot() { return slots_[NumberOfThread() % kSlots].thing; }

  std::array<Slot, kSlots> slots_;
};

}  // namespace penstock
