#include "infeed/training/core_loop.h"

#include <algorithm>
#include <utility>

#include "infeed/training/row_digests.h"

namespace penstock {

CoreLoop::CoreLoop(uint32_t number, InfeedQueue& queue, Device& device,
                   const TrainingContext& context, CoreTimeline& timeline,
                   StepSaver saver, StepOutfeed outfeed)
    : number_(number),
      queue_(queue),
      device_(device),
      context_(context),
      timeline_(timeline),
      saver_(saver),
      outfeed_(outfeed),
      counts_(context.placement
                  .device_of_shard[context.placement.shard_of_device[number]] ==
              number) {}

bool CoreLoop::AwaitNext(std::chrono::nanoseconds at_most) {
  return stopped_ || !status_.ok() || queue_.AwaitFront(at_most);
}

Meeting CoreLoop::Tell() {
  Meeting meeting;
  if (status_.ok()) Keep(TellNext(meeting));
  if (status_.ok()) return meeting;
  return context_.coordinator.TellCancelled(number_, status_);
}

void CoreLoop::Begin(const StepPlan& plan) {
  if (!status_.ok()) return;
  if (plan.end) {
    timeline_.Finish(plan.begin_ns);
  } else {
    Keep(BeginStep(plan));
  }
}

void CoreLoop::End(const StepPlan& plan) {
  if (status_.ok() && !plan.end) Keep(EndStep(plan));
}

// Where its data was cancelled the others may know why.
void CoreLoop::Keep(Status status) {
  status_ = std::move(status);
  if (!status_.ok() && !IsCancelled(status_)) {
    context_.coordinator.Fail(status_);
  }
}

Status CoreLoop::TellNext(Meeting& meeting) {
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

// The batch leaves its queue when the step begins: until then it takes a place
// on the device.
Status CoreLoop::BeginStep(const StepPlan& plan) {
  item_ = std::move(next_);
  next_.reset();
  stopped_ = plan.last;
  begin_ns_ = timeline_.Begin(plan);
  return queue_.Pop().status();
}

Status CoreLoop::EndStep(const StepPlan& plan) {
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
  timeline_.End(end_ns, slice.pad_rows(), static_cast<uint64_t>(slice.rows()));
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
Status CoreLoop::CountSlice() {
  PENSTOCK_ASSIGN_OR_RETURN(const CoreSlice slice,
                            item_->loaded->ReadBack(item_->slice));
  context_.log.AddSlice(slice);
  return OkStatus();
}

// Once there is a place in the device's outfeed.
Status CoreLoop::SendBack(uint64_t step, int64_t end_ns) {
  if (outfeed_.outfeed == nullptr || (step + 1) % context_.outfeed.every != 0) {
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

Status CoreLoop::Save(const CoreSlice& slice, int64_t end_ns) {
  PENSTOCK_RETURN_IF_ERROR(WaitUntil(end_ns));
  PENSTOCK_RETURN_IF_ERROR(saver_.saver->AfterStep(
      {.state = slice.state_after(),
       .rows = DigestRows(slice.batch(), saver_.topology)}));
  if (saver_.saver->waited()) timeline_.Hold(context_.clock.NowNs());
  return OkStatus();
}

// Waits for it where its time is not known.
StatusOr<int64_t> CoreLoop::TimeOf(const DeviceEvent& event) {
  if (const std::optional<int64_t> known_ns = event.known_ns()) {
    return *known_ns;
  }
  return Await(event);
}

StatusOr<int64_t> CoreLoop::Await(const DeviceEvent& event) {
  return event.Await(context_.clock, context_.coordinator.stop_token());
}

Status CoreLoop::WaitUntil(int64_t deadline_ns) {
  return Await(DeviceEvent::At(deadline_ns)).status();
}

}  // namespace penstock
