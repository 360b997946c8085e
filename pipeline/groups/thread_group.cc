#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

#include "pipeline/group.h"

namespace penstock {
namespace {

// What the ends share. A round ends when every host has brought its part; its
// result stays until every host has taken it, which each does before it brings
// the next.
struct Room {
  explicit Room(uint32_t hosts)
      : hosts(hosts),
        brought(hosts),
        taken(hosts),
        calls(hosts),
        left(hosts),
        pulses(hosts) {}

  const uint32_t hosts;

  mutable std::mutex mutex;
  std::condition_variable changed;
  // brought[from][to]; for AllGather one part, which is for all.
  std::vector<std::vector<std::string>> brought;
  std::vector<std::vector<std::string>> taken;  // of the round before
  std::vector<std::string_view> calls;          // by which it was brought
  std::vector<bool> left;
  uint32_t arrived = 0;
  uint64_t round = 0;
  Status failed;
  std::vector<HostPulse> pulses;
  std::map<std::string, std::weak_ptr<void>> shared;
};

class ThreadEnd final : public Group {
 public:
  ThreadEnd(std::shared_ptr<Room> room, uint32_t host)
      : room_(std::move(room)), host_(host) {}
  ~ThreadEnd() override {
    const std::lock_guard lock(room_->mutex);
    room_->left[host_] = true;
    if (room_->arrived > 0) FailForWhoLeft();
  }

  uint32_t hosts() const override { return room_->hosts; }
  uint32_t host() const override { return host_; }

  StatusOr<std::vector<std::string>> AllGather(std::string_view mine) override {
    return Meet(
        "AllGather", {std::string(mine)},
        [](const std::vector<std::string>& from) { return from.front(); });
  }

  StatusOr<std::vector<std::string>> Exchange(
      std::vector<std::string> to) override {
    assert(to.size() == room_->hosts);
    return Meet("Exchange", std::move(to),
                [this](std::vector<std::string>& from) {
                  return std::move(from[host_]);
                });
  }

  void Fail(const Status& why) override {
    const std::lock_guard lock(room_->mutex);
    room_->failed.Update(why);
    room_->changed.notify_all();
  }
  Status failed() const override {
    const std::lock_guard lock(room_->mutex);
    return room_->failed;
  }

  void Beat(std::string_view report) override {
    const std::lock_guard lock(room_->mutex);
    ++room_->pulses[host_].beats;
    room_->pulses[host_].report = report;
  }
  std::vector<HostPulse> Pulses() const override {
    const std::lock_guard lock(room_->mutex);
    return room_->pulses;
  }

  bool is_one_process() const override { return true; }
  std::shared_ptr<void> Share(const std::string& name,
                              std::shared_ptr<void> mine) override {
    const std::lock_guard lock(room_->mutex);
    std::weak_ptr<void>& first = room_->shared[name];
    if (auto shared = first.lock()) return shared;
    first = mine;
    return mine;
  }

 private:
  // Brings `parts`, waits for all hosts and takes `mine` of what each brought.
  template <typename Mine>
  StatusOr<std::vector<std::string>> Meet(std::string_view call,
                                          std::vector<std::string> parts,
                                          Mine mine) {
    std::unique_lock lock(room_->mutex);
    if (!room_->failed.ok()) return room_->failed;
    room_->brought[host_] = std::move(parts);
    room_->calls[host_] = call;
    const uint64_t round = room_->round;
    if (++room_->arrived == room_->hosts) {
      for (const std::string_view other : room_->calls) {
        if (other == call) continue;
        room_->failed.Update(
            InternalError("hosts of a group make different calls"));
        room_->changed.notify_all();
        return room_->failed;
      }
      room_->arrived = 0;
      ++room_->round;
      std::swap(room_->brought, room_->taken);
      room_->changed.notify_all();
    }
    if (room_->round == round) FailForWhoLeft();
    room_->changed.wait(
        lock, [&] { return room_->round != round || !room_->failed.ok(); });
    // A round that every host has entered is whole: a host that is done and
    // leaves must not take its result away from the others.
    if (room_->round == round) return room_->failed;
    std::vector<std::string> result;
    result.reserve(room_->hosts);
    for (std::vector<std::string>& from : room_->taken) {
      result.push_back(mine(from));
    }
    return result;
  }

  // A round that waits for a host that is gone has no end.
  void FailForWhoLeft() {
    const auto gone = std::ranges::find(room_->left, true);
    if (gone == room_->left.end()) return;
    room_->failed.Update(UnavailableError(fmt::format(
        "host {} left before the end of the run", gone - room_->left.begin())));
    room_->changed.notify_all();
  }

  const std::shared_ptr<Room> room_;
  const uint32_t host_;
};

}  // namespace

std::vector<std::unique_ptr<Group>> ThreadGroup(uint32_t hosts) {
  const auto room = std::make_shared<Room>(hosts);
  std::vector<std::unique_ptr<Group>> ends;
  for (uint32_t host = 0; host < hosts; ++host) {
    ends.push_back(std::make_unique<ThreadEnd>(room, host));
  }
  return ends;
}

}  // namespace penstock
