#include "pipeline/build/workers.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>

#include "pipeline/build/tsan_hints.h"

namespace penstock {

// Tasks wait in our own queue, and the arena is only told that there is one
// more. So they start in order, and everything a task reads passes through a
// lock that thread sanitizer can see.
struct Workers::Arena {
  explicit Arena(int threads)
      : threads(threads),
        limit(oneapi::tbb::global_control::max_allowed_parallelism,
              static_cast<size_t>(threads) + 1),
        arena(threads, /*reserved_for_masters=*/0) {}

  void RunOldest() {
    TsanAcquire(this);
    std::function<void()> task;
    {
      const std::lock_guard lock(mutex);
      task = std::move(queue.front());
      queue.pop_front();
    }
    task();
    task = nullptr;  // what it holds goes before anyone hears that it ended
    const std::lock_guard lock(mutex);
    if (--unfinished == 0) all_ended.notify_all();
  }

  const int threads;
  const oneapi::tbb::global_control limit;
  oneapi::tbb::task_arena arena;

  std::mutex mutex;
  std::condition_variable all_ended;
  std::deque<std::function<void()>> queue;
  size_t unfinished = 0;
};

namespace {

// The one thing that oneTBB itself hands to a thread.
template <typename Arena>
struct Wake {
  [[gnu::no_sanitize_thread]] void operator()() const { arena->RunOldest(); }

  Arena* arena;
};

}  // namespace

Workers::Workers(int threads) : arena_(std::make_unique<Arena>(threads)) {}

Workers::~Workers() {
  std::unique_lock lock(arena_->mutex);
  arena_->all_ended.wait(lock, [&] { return arena_->unfinished == 0; });
}

void Workers::Run(std::function<void()> task) {
  {
    const std::lock_guard lock(arena_->mutex);
    arena_->queue.push_back(std::move(task));
    ++arena_->unfinished;
  }
  TsanRelease(arena_.get());
  arena_->arena.enqueue(Wake<Arena>{arena_.get()});
}

int Workers::threads() const { return arena_->threads; }

}  // namespace penstock
