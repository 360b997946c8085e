#include "infeed/training/training_loop.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "formats/files/start_thread.h"
#include "formats/files/status_or.h"
#include "infeed/devices/outfeed.h"

namespace penstock {
namespace {

using Loops = std::vector<std::unique_ptr<CoreLoop>>;

// Tells of all of them, first of those whose batch is there, so that those that
// the coordinator was not told of are those that are late.
Meeting TellAll(std::span<const std::unique_ptr<CoreLoop>> loops) {
  constexpr std::chrono::milliseconds kLookAgain(50);
  std::vector<CoreLoop*> late;
  for (const auto& loop : loops) late.push_back(loop.get());
  Meeting meeting;
  for (;;) {
    std::erase_if(late, [&](CoreLoop* loop) {
      const bool there = loop->AwaitNext({});
      if (there) meeting = loop->Tell();
      return there;
    });
    if (late.empty()) return meeting;
    late.front()->AwaitNext(kLookAgain);
  }
}

// Devices that one thread plays.
void Play(std::span<const std::unique_ptr<CoreLoop>> loops,
          Coordinator& coordinator) {
  for (;;) {
    const Meeting meeting = TellAll(loops);
    const StatusOr<StepPlan> plan = coordinator.Await(meeting);
    if (!plan.ok()) return;
    for (const auto& loop : loops) loop->Begin(*plan);
    for (const auto& loop : loops) loop->End(*plan);
    if (plan->end) return;
  }
}

}  // namespace

void RunDevices(std::span<TrainingHost> hosts, const TrainingContext& context) {
  std::vector<std::unique_ptr<Outfeed>> outfeeds;
  Loops loops;
  for (TrainingHost& host : hosts) {
    Outfeed* outfeed = nullptr;
    if (context.outfeed.every > 0 && !host.devices.empty()) {
      auto started =
          Outfeed::Start(host.devices.size(), context.outfeed, context.clock);
      if (!started.ok()) return context.coordinator.Fail(started.status());
      outfeed = outfeeds.emplace_back(*std::move(started)).get();
    }
    for (size_t i = 0; i < host.devices.size(); ++i) {
      loops.push_back(std::make_unique<CoreLoop>(
          host.infeed->devices()[i], host.infeed->queue(i), *host.devices[i],
          context, host.timelines[i],
          StepSaver{.saver = i == 0 ? context.savers.Of(host.number) : nullptr,
                    .topology = host.infeed->topology()},
          StepOutfeed{.outfeed = outfeed, .place = i}));
    }
  }
  size_t count = loops.size();
  if (context.only_times) {
    // The other cores build batches.
    const unsigned half = std::thread::hardware_concurrency() / 2;
    count = std::min<size_t>(count, std::max(1u, half));
  }
  std::vector<std::jthread> threads;
  for (size_t t = 0; t < count; ++t) {
    const size_t begin = loops.size() * t / count;
    const size_t end = loops.size() * (t + 1) / count;
    auto thread = StartThread([&, begin, end] {
      Play(std::span(loops).subspan(begin, end - begin), context.coordinator);
    });
    if (!thread.ok()) return context.coordinator.Fail(thread.status());
    threads.push_back(*std::move(thread));
  }
}

std::vector<std::jthread> DrainHosts(std::span<TrainingHost> hosts,
                                     Coordinator& coordinator) {
  std::vector<std::jthread> threads;
  for (TrainingHost& host : hosts) {
    if (!host.devices.empty()) continue;
    auto thread = StartThread([&infeed = *host.infeed, &coordinator] {
      while (infeed.Next()) {
      }
      // Where it is cancelled a host with devices knows why.
      const Status status = infeed.status();
      if (!status.ok() && !IsCancelled(status)) coordinator.Fail(status);
    });
    if (thread.ok()) {
      threads.push_back(*std::move(thread));
    } else {
      coordinator.Fail(thread.status());
    }
  }
  return threads;
}

}  // namespace penstock
