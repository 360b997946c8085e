// Lets threads look at what others change, without a lock.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace penstock {

// Who takes something away, so that nobody finds it any more, uses its memory
// anew once all who may have found it before have left: then HavePassed.
// (Epochs: K. Fraser, Practical lock-freedom, 2004, section 5.2.3.) What must
// be changed while nobody looks waits for that: WhileAlone.
//
// Threads: any number at a time.
class Readers {
 public:
  // A thread that looks now and then.
  //
  // Threads: one at a time.
  class Reader {
   public:
    // `readers` must outlive it. Throws std::bad_alloc.
    explicit Reader(Readers& readers);
    ~Reader();  // outside
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    // Between the two it may look. Enter waits while another is alone.
    void Enter();
    void Leave() { since_.store(0, std::memory_order_release); }

   private:
    friend class Readers;

    Readers& readers_;
    // When it entered, or before; 0: it is outside.
    alignas(64) std::atomic<uint64_t> since_ = 0;
  };

  Readers() = default;
  Readers(const Readers&) = delete;
  Readers& operator=(const Readers&) = delete;

  // Whether there was just one.
  bool has_one() const { return count_.load(std::memory_order_relaxed) == 1; }

  // Who enters after this sees what the caller did before.
  uint64_t Stamp() { return now_.fetch_add(kTick) / kTick + 1; }
  // Whether all others that were inside at a Stamp have left, as far as is
  // known without waiting; what they did is then before what the caller does.
  bool HavePassed(uint64_t stamp, const Reader& self) const;

  // Calls `change` while no reader is inside; the caller's must be outside.
  void WhileAlone(const std::function<void()>& change);
  // The same, but gives up where others stay inside for long.
  bool TryWhileAlone(const std::function<void()>& change);
  // Within a change: calls `share`, which must not throw, for each number below
  // `count`. Readers that wait to enter do some of them.
  void ChangeTogether(size_t count, const std::function<void(size_t)>& share);

 private:
  static constexpr uint64_t kClosed = 1;  // bit of now_: one is alone
  static constexpr uint64_t kTick = 2;

  // What is done together.
  struct Shares {
    const std::function<void(size_t)>& share;
    const size_t count;
    std::atomic<size_t> next = 0;
    size_t helpers = 0;  // guarded by waiting_

    bool AreLeft() const {
      return next.load(std::memory_order_relaxed) < count;
    }
    void Take() {
      for (size_t i; (i = next.fetch_add(1)) < count;) share(i);
    }
  };

  bool WhileAlone(size_t most_looks, const std::function<void()>& change);
  void Open();
  void WaitUntilOpen();

  alignas(64) std::atomic<uint64_t> now_ = kTick;
  std::atomic<size_t> count_ = 0;
  mutable std::mutex mutex_;
  std::vector<const Reader*> all_;  // guarded by mutex_
  // Of who is alone and those that wait to enter.
  std::mutex waiting_;
  std::condition_variable changed_;
  Shares* shares_ = nullptr;  // guarded by waiting_; there are some to take
};

}  // namespace penstock
