#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "pipeline/agreement.h"

namespace penstock {
namespace {

// What the ends share. A round ends when every host has brought its part; its
// result stays until every host has brought the next, and so has taken it.
struct Group {
  explicit Group(uint32_t hosts) : hosts(hosts), brought(hosts) {}

  const uint32_t hosts;

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::vector<uint32_t>> brought;
  uint32_t arrived = 0;
  uint64_t round = 0;
  std::vector<std::vector<uint32_t>> result;  // of `round` - 1
  bool cancelled = false;
};

class ThreadEnd final : public Agreement {
 public:
  ThreadEnd(std::shared_ptr<Group> group, uint32_t host)
      : group_(std::move(group)), host_(host) {}

  StatusOr<std::vector<std::vector<uint32_t>>> AllGather(
      std::span<const uint32_t> mine) override {
    std::unique_lock lock(group_->mutex);
    if (group_->cancelled) return Cancelled();
    group_->brought[host_].assign(mine.begin(), mine.end());
    const uint64_t round = group_->round;
    if (++group_->arrived == group_->hosts) {
      group_->arrived = 0;
      ++group_->round;
      group_->result = group_->brought;
      group_->changed.notify_all();
    }
    group_->changed.wait(
        lock, [&] { return group_->round != round || group_->cancelled; });
    // A round that every host has entered is whole: a host that is done and
    // leaves must not take its result away from the others.
    if (group_->round == round) return Cancelled();
    return group_->result;
  }

  void Cancel() override {
    const std::lock_guard lock(group_->mutex);
    group_->cancelled = true;
    group_->changed.notify_all();
  }

 private:
  static Status Cancelled() {
    return CancelledError("the group of hosts was cancelled");
  }

  const std::shared_ptr<Group> group_;
  const uint32_t host_;
};

}  // namespace

std::vector<std::unique_ptr<Agreement>> ThreadAgreement(uint32_t hosts) {
  const auto group = std::make_shared<Group>(hosts);
  std::vector<std::unique_ptr<Agreement>> ends;
  for (uint32_t host = 0; host < hosts; ++host) {
    ends.push_back(std::make_unique<ThreadEnd>(group, host));
  }
  return ends;
}

}  // namespace penstock
