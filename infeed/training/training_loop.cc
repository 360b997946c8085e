#include "infeed/training/training_loop.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "formats/files/start_thread.h"
#include "formats/files/status_or.h"
#include "infeed/devices/outfeed.h"
#include "infeed/queues/infeed_queue.h"

namespace penstock {
namespace {

// Of one device of a host tells that host's saver; null of the others.
struct StepSaver {
  CheckpointSaver* saver = nullptr;
  const Topology& topology;
};

// Where a device sends something back; null where it never does.
struct StepOutfeed {
  Outfeed* outfeed = nullptr;
  size_t place = 0;  // of the device on its host
};

class CoreLoop {
 public:
  CoreLoop(uint32_t number, InfeedQueue& queue, Device& device,
           const TrainingContext& context, CoreTimeline& timeline,
           StepSaver saver, StepOutfeed outfeed)
      : number_(number),
        queue_(queue),
        device_(device),
        context_(context),
        timeline_(timeline),
        saver_(saver),
        outfeed_(outfeed),
        counts_(
            context.placement
                .device_of_shard[context.placement.shard_of_device[number]] ==
            number) {}

  // Waits so long at most until Tell() need not wait; whether it need not.
  bool AwaitNext(std::chrono::nanoseconds at_most) {
    return stopped_ || !status_.ok() || queue_.AwaitFront(at_most);
  }

  // Tells all others of the next batch, or that there is none. Goes ahead of
  // the device where times are known in advance: a step may be under way.
  Meeting Tell() {
    Meeting meeting;
    if (status_.ok()) Keep(TellNext(meeting));
    if (status_.ok()) return meeting;
    return context_.coordinator.TellCancelled(number_, status_);
  }

  // Begins what all have come to. First for all devices of a thread, so that
  // the hosts hear at once that there is room.
  void Begin(const StepPlan& plan) {
    if (!status_.ok()) return;
    if (plan.end) {
      timeline_.Finish(plan.begin_ns);
    } else {
      Keep(BeginStep(plan));
    }
  }

  // And ends it.
  void End(const StepPlan& plan) {
    if (status_.ok() && !plan.end) Keep(EndStep(plan));
  }

 private:
  // Where its data was cancelled the others may know why.
  void Keep(Status status) {
    status_ = std::move(status);
    if (!status_.ok() && !IsCancelled(status_)) {
      context_.coordinator.Fail(status_);
    }
  }

  Status TellNext(Meeting& meeting) {
    if (!stopped_) {
      PENSTOCK_ASSIGN_OR_RETURN(next_, queue_.Front());
    }
    if (!next_) {
      const int64_t free_ns =
          std::max(context_.clock.NowNs(), timeline_.free_ns());
      meeting = context_.coordinator.TellEnd(number_, free_ns);
      return OkStatus();
    }
    free_ns_ = timeline_.free_ns();
    PENSTOCK_ASSIGN_OR_RETURN(const int64_t loaded_ns,
                              TimeOf(next_->loaded->ready()));
    const int64_t ready_ns =
        timeline_.Feed(next_->pushed_ns, loaded_ns, next_->slice.size_bytes());
    PENSTOCK_ASSIGN_OR_RETURN(const int64_t compile_ns,
                              device_.Compile(next_->slice));
    meeting = context_.coordinator.Tell({.device = number_,
                                         .step = next_->slice.step(),
                                         .shape = next_->slice.shape(),
                                         .ready_ns = ready_ns,
                                         .compile_ns = compile_ns});
    return OkStatus();
  }

  // The batch leaves its queue when the step begins: until then it takes a
  // place on the device.
  Status BeginStep(const StepPlan& plan) {
    item_ = std::move(next_);
    next_.reset();
    stopped_ = plan.last;
    begin_ns_ = timeline_.Begin(plan);
    return queue_.Pop().status();
  }

  Status EndStep(const StepPlan& plan) {
    const CoreSlice& slice = item_->slice;
    // All have arrived, so all have sent what they send behind the last step.
    const int64_t sent_ns =
        end_ns_ ? context_.log.OutfeedFreeNs(slice.step() - 1) : 0;
    const int64_t outfeed_ns =
        std::max<int64_t>(0, sent_ns - end_ns_.value_or(sent_ns));
    PENSTOCK_ASSIGN_OR_RETURN(const DeviceEvent step,
                              device_.Execute(*item_->loaded, begin_ns_));
    if (counts_) PENSTOCK_RETURN_IF_ERROR(CountSlice());
    PENSTOCK_ASSIGN_OR_RETURN(const int64_t end_ns, TimeOf(step));
    timeline_.End(end_ns, slice.pad_rows(),
                  static_cast<uint64_t>(slice.rows()));
    PENSTOCK_RETURN_IF_ERROR(SendBack(slice.step(), end_ns));
    if (number_ == context_.first_device) {
      context_.log.AddStep({.outfeed_ns = outfeed_ns,
                            .free_ns = std::max(free_ns_, sent_ns),
                            .begin_ns = plan.begin_ns,
                            .compile_ns = plan.compile_ns,
                            .end_ns = end_ns,
                            .shape = slice.shape()},
                           slice);
    }
    end_ns_ = end_ns;
    return saver_.saver == nullptr ? OkStatus() : Save(slice, end_ns);
  }

  // As the device has it, while it is at its step.
  Status CountSlice() {
    PENSTOCK_ASSIGN_OR_RETURN(const CoreSlice slice,
                              item_->loaded->ReadBack(item_->slice));
    context_.log.AddSlice(slice);
    return OkStatus();
  }

  // Once there is a place in the device's outfeed.
  Status SendBack(uint64_t step, int64_t end_ns) {
    if (outfeed_.outfeed == nullptr ||
        (step + 1) % context_.outfeed.every != 0) {
      return OkStatus();
    }
    PENSTOCK_RETURN_IF_ERROR(WaitUntil(end_ns));
    PENSTOCK_ASSIGN_OR_RETURN(
        const int64_t free_ns,
        outfeed_.outfeed->Send(outfeed_.place, end_ns,
                               context_.coordinator.stop_token()));
    timeline_.Hold(free_ns, Bucket::kOutfeedWait);
    context_.log.AddOutfeed(step, free_ns);
    return OkStatus();
  }

  Status Save(const CoreSlice& slice, int64_t end_ns) {
    PENSTOCK_RETURN_IF_ERROR(WaitUntil(end_ns));
    PENSTOCK_RETURN_IF_ERROR(saver_.saver->AfterStep(
        {.state = slice.state_after(),
         .rows = DigestRows(slice.batch(), saver_.topology)}));
    if (saver_.saver->waited()) timeline_.Hold(context_.clock.NowNs());
    return OkStatus();
  }

  // Waits for it where its time is not known.
  StatusOr<int64_t> TimeOf(const DeviceEvent& event) {
    if (const std::optional<int64_t> known_ns = event.known_ns()) {
      return *known_ns;
    }
    return Await(event);
  }

  StatusOr<int64_t> Await(const DeviceEvent& event) {
    return event.Await(context_.clock, context_.coordinator.stop_token());
  }

  Status WaitUntil(int64_t deadline_ns) {
    return Await(DeviceEvent::At(deadline_ns)).status();
  }

  const uint32_t number_;
  InfeedQueue& queue_;
  Device& device_;
  const TrainingContext& context_;
  CoreTimeline& timeline_;
  const StepSaver saver_;
  const StepOutfeed outfeed_;
  const bool counts_;               // its rows are no copy of another device's
  std::optional<InfeedItem> next_;  // that all were told of
  std::optional<InfeedItem> item_;  // of the step, until the next begins
  int64_t free_ns_ = 0;             // before the one that all were told of
  int64_t begin_ns_ = 0;            // of the step
  std::optional<int64_t> end_ns_;   // of the last step
  bool stopped_ = false;            // the run does
  Status status_;
};

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
