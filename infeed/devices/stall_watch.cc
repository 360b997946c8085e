#include "infeed/devices/stall_watch.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "infeed/queues/clock.h"
#include "pipeline/group.h"

namespace penstock {
namespace {

class StallWatch {
 public:
  explicit StallWatch(WatchedInfeed watched) : watched_(std::move(watched)) {}

  // Another number than before, unless somebody waits and nothing moves.
  uint64_t Moved() {
    if (watched_.group != nullptr) watched_.group->Beat(watched_.describe());
    bool awaited = false;
    uint64_t pushed = 0;
    for (const auto& queue : watched_.queues) {
      awaited = awaited || queue->is_awaited();
      pushed += queue->last_step() ? *queue->last_step() + 1 : 0;
    }
    if (!awaited) ++unawaited_looks_;
    return unawaited_looks_ + pushed + watched_.source.records_read();
  }

  Status Stalled() const {
    std::string text = fmt::format(
        "no batch came for {:.3g} s, and nothing was read:\n{}",
        static_cast<double>(watched_.stall_ns) * 1e-9, watched_.describe());
    if (watched_.group == nullptr) return DeadlineExceededError(text);
    const std::vector<HostPulse> pulses = watched_.group->Pulses();
    for (uint32_t h = 0; h < pulses.size(); ++h) {
      if (h == watched_.group->host()) continue;
      text += fmt::format(
          "host {} last said:\n{}", h,
          pulses[h].report.empty() ? "nothing\n" : pulses[h].report);
    }
    return DeadlineExceededError(text);
  }

 private:
  const WatchedInfeed watched_;
  uint64_t unawaited_looks_ = 0;
};

}  // namespace

std::string DescribeQueues(
    const std::vector<SlicePlace>& places,
    const std::vector<std::unique_ptr<InfeedQueue>>& queues, size_t depth) {
  std::string text;
  for (size_t i = 0; i < queues.size(); ++i) {
    const std::optional<uint64_t> step = queues[i]->last_step();
    text +=
        fmt::format("device {}: {} of {} batches queued, last {}\n",
                    places[i].device, queues[i]->depth(), depth,
                    step ? fmt::format("step {}", *step) : std::string("none"));
  }
  return text;
}

StatusOr<Watchdog> WatchForStalls(WatchedInfeed watched,
                                  std::function<void(const Status&)> on_stall) {
  const int64_t limit_ns = watched.stall_ns;
  const auto watch = std::make_shared<StallWatch>(std::move(watched));
  return Watchdog::Start(
      SteadyClock(), [watch] { return watch->Moved(); },
      [watch, on_stall = std::move(on_stall)] { on_stall(watch->Stalled()); },
      {.limit_ns = limit_ns});
}

}  // namespace penstock
