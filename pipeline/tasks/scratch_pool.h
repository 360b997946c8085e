// Memory that one task leaves for the next.
#pragma once

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace penstock {

// As many as tasks had at once are kept. A thread gets back what it left last,
// where that is there: another core would have to fetch it.
//
// Threads: any number at a time.
template <typename Scratch>
class ScratchPool {
 public:
  std::unique_ptr<Scratch> Borrow() {
    {
      const std::lock_guard lock(mutex_);
      if (!kept_.empty()) {
        const auto own =
            std::find_if(kept_.rbegin(), kept_.rend(),
                         [me = std::this_thread::get_id()](const Kept& kept) {
                           return kept.left_by == me;
                         });
        const auto at =
            std::prev(own == kept_.rend() ? kept_.end() : own.base());
        std::unique_ptr<Scratch> scratch = std::move(at->scratch);
        kept_.erase(at);
        return scratch;
      }
    }
    return std::make_unique<Scratch>();
  }

  void Return(std::unique_ptr<Scratch> scratch) {
    const std::lock_guard lock(mutex_);
    kept_.push_back({std::this_thread::get_id(), std::move(scratch)});
  }

 private:
  struct Kept {
    std::thread::id left_by;
    std::unique_ptr<Scratch> scratch;
  };

  std::mutex mutex_;
  std::vector<Kept> kept_;  // guarded by mutex_
};

}  // namespace penstock
