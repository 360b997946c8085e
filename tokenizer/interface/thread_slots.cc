#include "tokenizer/interface/thread_slots.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <mutex>
#include <vector>

namespace penstock {
namespace {

// The numbers of threads that have ended, to be given again.
//
// Threads: any number at a time.
class ThreadNumbers {
 public:
  size_t Take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      free_.reserve(
          std::bit_ceil(given_ + 1));  // so that GiveBack() cannot fail
      return given_++;
    }
    std::pop_heap(free_.begin(), free_.end(), std::greater<>());
    const size_t number = free_.back();
    free_.pop_back();
    return number;
  }

  void GiveBack(size_t number) {
    const std::lock_guard lock(mutex_);
    free_.push_back(number);
    std::push_heap(free_.begin(), free_.end(), std::greater<>());
  }

 private:
  std::mutex mutex_;
  // Guarded by mutex_.
  std::vector<size_t> free_;  // a heap, the smallest first
  size_t given_ = 0;
};

// Never destroyed: threads may end behind main().
ThreadNumbers& Numbers() {
  static ThreadNumbers& numbers = *new ThreadNumbers;
  return numbers;
}

struct OwnNumber {
  OwnNumber() : number(Numbers().Take()) {}
  ~OwnNumber() { Numbers().GiveBack(number); }
  OwnNumber(const OwnNumber&) = delete;
  OwnNumber& operator=(const OwnNumber&) = delete;

  const size_t number;
};

}  // namespace

void TakeThreadNumber() {
  thread_local const OwnNumber own;
  taken_thread_number = own.number + 1;
}

}  // namespace penstock
