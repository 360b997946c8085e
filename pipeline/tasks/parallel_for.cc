#include "pipeline/tasks/parallel_for.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>

#include "pipeline/tasks/cancelled.h"

namespace penstock {
namespace {

// Tasks hold it, so that one that starts late finds nothing left to do, and
// nobody waits for it.
class Pass {
 public:
  Pass(uint64_t count, const std::stop_token& stop,
       FunctionRef<void(uint64_t)> body)
      : left_(count), stop_(stop), body_(body) {}

  // Takes parts until there are none.
  void Work() {
    std::unique_lock lock(mutex_);
    while (left_ > 0 && !no_memory_ && !stop_.stop_requested()) {
      const uint64_t part = --left_;
      ++running_;
      lock.unlock();
      bool no_memory = false;
      try {
        body_(part);
      } catch (const std::bad_alloc&) {
        no_memory = true;
      }
      lock.lock();
      --running_;
      no_memory_ = no_memory_ || no_memory;
    }
    if (running_ == 0) done_.notify_all();
  }

  // Until nobody is in the body any more, nor will be.
  Status Wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return running_ == 0; });
    if (no_memory_) throw std::bad_alloc();
    if (left_ == 0) return OkStatus();
    left_ = 0;
    return PipelineCancelled();
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  uint64_t left_;
  uint64_t running_ = 0;
  bool no_memory_ = false;
  const std::stop_token stop_;
  const FunctionRef<void(uint64_t)> body_;
};

}  // namespace

Status ParallelFor(TaskQueue& tasks, uint64_t count,
                   const std::stop_token& stop,
                   FunctionRef<void(uint64_t)> body) {
  const auto pass = std::make_shared<Pass>(count, stop, body);
  for (int i = 1; i < tasks.threads() && static_cast<uint64_t>(i) < count;
       ++i) {
    tasks.Run([pass] { pass->Work(); });
  }
  pass->Work();
  return pass->Wait();
}

}  // namespace penstock
