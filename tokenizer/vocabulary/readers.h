// Lets threads look at what others change, without a lock.
#pragma once

#include <atomic>
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

 private:
  static constexpr uint64_t kClosed = 1;  // bit of now_: one is alone
  static constexpr uint64_t kTick = 2;

  bool WhileAlone(size_t most_looks, const std::function<void()>& change);

  alignas(64) std::atomic<uint64_t> now_ = kTick;
  std::atomic<size_t> count_ = 0;
  mutable std::mutex mutex_;
  std::vector<const Reader*> all_;  // guarded by mutex_
};

}  // namespace penstock
