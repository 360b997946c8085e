#include "infeed/training/training_loop.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <thread>

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

  void Run() {
    const Status status = RunSteps();
    if (IsCancelled(status)) {
      context_.coordinator.ArriveCancelled(number_, status);
    } else if (!status.ok()) {
      context_.coordinator.Fail(status);
    }
  }

 private:
  // Goes ahead of the device where times are known in advance: the next batch
  // is taken and told of while a step is under way.
  Status RunSteps() {
    bool last = false;
    while (!last) {
      PENSTOCK_ASSIGN_OR_RETURN(std::optional<InfeedItem> item, queue_.Front());
      if (!item) break;
      PENSTOCK_ASSIGN_OR_RETURN(last, Step(*std::move(item)));
    }
    const int64_t free_ns =
        std::max(context_.clock.NowNs(), timeline_.free_ns());
    PENSTOCK_ASSIGN_OR_RETURN(
        const int64_t done_ns,
        context_.coordinator.ArriveAtEnd(number_, free_ns));
    timeline_.Finish(done_ns);
    return OkStatus();
  }

  // True after the last step of the run. The batch leaves its queue when the
  // step begins: until then it takes a place on the device.
  StatusOr<bool> Step(InfeedItem item) {
    const int64_t free_ns = timeline_.free_ns();
    PENSTOCK_ASSIGN_OR_RETURN(const int64_t loaded_ns,
                              TimeOf(item.loaded->ready()));
    const int64_t ready_ns =
        timeline_.Feed(item.pushed_ns, loaded_ns, item.slice.size_bytes());
    PENSTOCK_ASSIGN_OR_RETURN(const int64_t compile_ns,
                              device_.Compile(item.slice));
    PENSTOCK_ASSIGN_OR_RETURN(
        const StepPlan plan,
        context_.coordinator.Arrive({.device = number_,
                                     .step = item.slice.step(),
                                     .shape = item.slice.shape(),
                                     .ready_ns = ready_ns,
                                     .compile_ns = compile_ns}));
    item_ = std::move(item);
    const CoreSlice& slice = item_->slice;
    // All have arrived, so all have sent what they send behind the last step.
    const int64_t sent_ns =
        end_ns_ ? context_.log.OutfeedFreeNs(slice.step() - 1) : 0;
    const int64_t outfeed_ns =
        std::max<int64_t>(0, sent_ns - end_ns_.value_or(sent_ns));
    const int64_t begin_ns = timeline_.Begin(plan);
    PENSTOCK_RETURN_IF_ERROR(queue_.Pop().status());
    PENSTOCK_ASSIGN_OR_RETURN(const DeviceEvent step,
                              device_.Execute(*item_->loaded, begin_ns));
    if (counts_) PENSTOCK_RETURN_IF_ERROR(CountSlice());
    PENSTOCK_ASSIGN_OR_RETURN(const int64_t end_ns, TimeOf(step));
    timeline_.End(end_ns, slice.pad_rows(),
                  static_cast<uint64_t>(slice.rows()));
    PENSTOCK_RETURN_IF_ERROR(SendBack(slice.step(), end_ns));
    if (number_ == context_.first_device) {
      context_.log.AddStep({.outfeed_ns = outfeed_ns,
                            .free_ns = std::max(free_ns, sent_ns),
                            .begin_ns = plan.begin_ns,
                            .compile_ns = plan.compile_ns,
                            .end_ns = end_ns,
                            .shape = slice.shape()},
                           slice);
    }
    end_ns_ = end_ns;
    if (saver_.saver != nullptr) {
      PENSTOCK_RETURN_IF_ERROR(Save(slice, end_ns));
    }
    return plan.last;
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
  std::optional<InfeedItem> item_;  // of the step, until the next begins
  std::optional<int64_t> end_ns_;   // of the last step
};

// A host without devices makes its part of every batch, of no rows, and so
// keeps step with hosts that exchange lengths. Where it is cancelled a host
// with devices knows why.
void DrainHost(Infeed& infeed, Coordinator& coordinator) {
  while (infeed.Next()) {
  }
  const Status status = infeed.status();
  if (!status.ok() && !IsCancelled(status)) coordinator.Fail(status);
}

}  // namespace

void RunHost(Infeed& infeed, const std::vector<Device*>& devices,
             const TrainingContext& context,
             std::vector<CoreTimeline>& timelines, CheckpointSaver* saver) {
  if (devices.empty()) return DrainHost(infeed, context.coordinator);
  std::unique_ptr<Outfeed> outfeed;
  if (context.outfeed.every > 0) {
    auto started =
        Outfeed::Start(devices.size(), context.outfeed, context.clock);
    if (!started.ok()) return context.coordinator.Fail(started.status());
    outfeed = *std::move(started);
  }
  std::vector<std::jthread> threads;
  for (size_t i = 0; i < devices.size(); ++i) {
    auto thread = StartThread([&, i] {
      CoreLoop(
          infeed.devices()[i], infeed.queue(i), *devices[i], context,
          timelines[i],
          {.saver = i == 0 ? saver : nullptr, .topology = infeed.topology()},
          {.outfeed = outfeed.get(), .place = i})
          .Run();
    });
    if (!thread.ok()) return context.coordinator.Fail(thread.status());
    threads.push_back(*std::move(thread));
  }
}

}  // namespace penstock
