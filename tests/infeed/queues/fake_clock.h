// A clock that moves only when a test says so.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <set>
#include <stop_token>

#include "infeed/queues/clock.h"

namespace penstock::testing {

class FakeClock : public Clock {
 public:
  int64_t NowNs() override {
    const std::lock_guard lock(mutex_);
    return now_ns_;
  }

  bool WaitUntil(int64_t deadline_ns, std::stop_token stop) override {
    std::unique_lock lock(mutex_);
    if (now_ns_ >= deadline_ns) return true;
    const auto mine = deadlines_.insert(deadline_ns);
    changed_.notify_all();
    const bool came =
        changed_.wait(lock, stop, [&] { return now_ns_ >= deadline_ns; });
    deadlines_.erase(mine);
    return came;
  }

  void Advance(int64_t ns) {
    const std::lock_guard lock(mutex_);
    now_ns_ += ns;
    changed_.notify_all();
  }

  // Waits until so many threads wait for a time that has not come.
  void AwaitWaiters(size_t waiters) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return Waiters() >= waiters; });
  }

  // Whenever so many threads wait, goes to the first of their deadlines; until
  // `stop` is requested.
  void FollowDeadlines(size_t waiters, std::stop_token stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [&] { return Waiters() >= waiters; })) {
      now_ns_ = *deadlines_.upper_bound(now_ns_);
      changed_.notify_all();
    }
  }

 private:
  size_t Waiters() const {
    return static_cast<size_t>(
        std::distance(deadlines_.upper_bound(now_ns_), deadlines_.end()));
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::multiset<int64_t> deadlines_;
  int64_t now_ns_ = 1'000'000;
};

}  // namespace penstock::testing
