#include "infeed/devices/outfeed.h"

#include <algorithm>
#include <utility>

#include "formats/files/start_thread.h"

namespace penstock {

StatusOr<std::unique_ptr<Outfeed>> Outfeed::Start(size_t devices,
                                                  OutfeedOptions options,
                                                  Clock& clock) {
  options.depth = std::max<size_t>(options.depth, 1);
  std::unique_ptr<Outfeed> outfeed(new Outfeed(devices, options, clock));
  PENSTOCK_ASSIGN_OR_RETURN(
      outfeed->drain_, StartThread([raw = outfeed.get()](std::stop_token stop) {
        raw->Drain(stop);
      }));
  return outfeed;
}

Outfeed::~Outfeed() = default;

StatusOr<int64_t> Outfeed::Send(size_t device, int64_t now_ns,
                                std::stop_token stop) {
  Queue& queue = queues_[device];
  std::unique_lock lock(mutex_);
  const bool has_room = changed_.wait(lock, std::move(stop), [&] {
    return queue.sent_ns.size() < options_.depth;
  });
  if (!has_room) return CancelledError("the outfeed was cancelled");
  // Whoever wakes late still waits for its place, and no longer.
  const int64_t free_ns =
      std::max(now_ns, queue.taken_ns[queue.sent++ % options_.depth]);
  queue.sent_ns.push_back(free_ns);
  lock.unlock();
  changed_.notify_all();
  return free_ns;
}

Outfeed::Queue* Outfeed::Oldest() {
  const auto oldest =
      std::ranges::min_element(queues_, [](const Queue& a, const Queue& b) {
        if (a.sent_ns.empty() || b.sent_ns.empty()) return !a.sent_ns.empty();
        return a.sent_ns.front() < b.sent_ns.front();
      });
  return oldest->sent_ns.empty() ? nullptr : &*oldest;
}

void Outfeed::Drain(const std::stop_token& stop) {
  int64_t free_ns = 0;
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return Oldest() != nullptr; })) {
    Queue& queue = *Oldest();
    free_ns = std::max(free_ns, queue.sent_ns.front()) + options_.drain_ns;
    lock.unlock();
    if (!clock_.WaitUntil(free_ns, stop)) return;
    lock.lock();
    queue.sent_ns.pop_front();
    queue.taken_ns[queue.taken++ % options_.depth] = free_ns;
    lock.unlock();
    changed_.notify_all();
    lock.lock();
  }
}

}  // namespace penstock
