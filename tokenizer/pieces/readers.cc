#include "tokenizer/pieces/readers.h"

#include <algorithm>
#include <limits>
#include <thread>

namespace penstock {

Readers::Reader::Reader(Readers& readers) : readers_(readers) {
  const std::lock_guard lock(readers_.mutex_);
  readers_.all_.push_back(this);
  readers_.count_.store(readers_.all_.size(), std::memory_order_relaxed);
}

Readers::Reader::~Reader() {
  const std::lock_guard lock(readers_.mutex_);
  std::erase(readers_.all_, this);
  readers_.count_.store(readers_.all_.size(), std::memory_order_relaxed);
}

// All of since_ and now_ that is not told otherwise is in one order. Either the
// store of since_ is before the look of HavePassed or WhileAlone, which then
// sees it; or what these did to now_ is before the second load here, so that
// what was done before it is seen by this thread.
void Readers::Reader::Enter() {
  while (true) {
    since_.store(readers_.now_.load(std::memory_order_relaxed) / kTick);
    if ((readers_.now_.load() & kClosed) == 0) return;
    Leave();
    readers_.WaitUntilOpen();
  }
}

void Readers::WaitUntilOpen() {
  std::unique_lock lock(waiting_);
  while ((now_.load() & kClosed) != 0) {
    if (shares_ == nullptr || !shares_->AreLeft()) {
      changed_.wait(lock);
      continue;
    }
    Shares& shares = *shares_;
    ++shares.helpers;
    lock.unlock();
    shares.Take();
    lock.lock();
    if (--shares.helpers == 0) changed_.notify_all();
  }
}

void Readers::Open() {
  {
    const std::lock_guard lock(waiting_);
    now_.fetch_and(~kClosed);
  }
  changed_.notify_all();
}

void Readers::ChangeTogether(size_t count,
                             const std::function<void(size_t)>& share) {
  Shares shares = {share, count};
  if (count > 1) {
    const std::lock_guard lock(waiting_);
    shares_ = &shares;
    changed_.notify_all();
  }
  shares.Take();
  std::unique_lock lock(waiting_);
  shares_ = nullptr;
  changed_.wait(lock, [&] { return shares.helpers == 0; });
}

bool Readers::HavePassed(uint64_t stamp, const Reader& self) const {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return false;
  return std::ranges::all_of(all_, [&](const Reader* reader) {
    const uint64_t since = reader->since_.load();
    return reader == &self || since == 0 || since >= stamp;
  });
}

bool Readers::WhileAlone(size_t most_looks,
                         const std::function<void()>& change) {
  const std::lock_guard lock(mutex_);
  // Open again in any case: `change` may throw.
  struct Closed {
    explicit Closed(Readers& of) : readers(of) {
      readers.now_.fetch_or(kClosed);
    }
    ~Closed() { readers.Open(); }
    Readers& readers;
  };
  const Closed closed(*this);
  for (const Reader* reader : all_) {
    while (reader->since_.load() != 0) {
      if (most_looks-- == 0) return false;
      std::this_thread::yield();
    }
  }
  change();
  return true;
}

void Readers::WhileAlone(const std::function<void()>& change) {
  WhileAlone(std::numeric_limits<size_t>::max(), change);
}

bool Readers::TryWhileAlone(const std::function<void()>& change) {
  // A batch of new pieces takes less.
  constexpr size_t kMostLooks = 1000;
  return WhileAlone(kMostLooks, change);
}

}  // namespace penstock
