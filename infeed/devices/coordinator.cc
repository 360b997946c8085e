#include "infeed/devices/coordinator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {

Coordinator::Coordinator(std::vector<uint32_t> host_of_device,
                         const Contract& contract, CoordinatorOptions options)
    : host_of_device_(std::move(host_of_device)),
      contract_(contract),
      options_(options),
      places_(host_of_device_.size()),
      compile_cache_(options.compile),
      waited_for_ns_(host_of_device_.size(), 0) {}

StatusOr<StepPlan> Coordinator::Arrive(const Arrival& arrival) {
  return Await(arrival.device, {.arrived = true,
                                .step = arrival.step,
                                .shape = arrival.shape,
                                .ready_ns = arrival.ready_ns,
                                .compile_ns = arrival.compile_ns});
}

StatusOr<int64_t> Coordinator::ArriveAtEnd(uint32_t device, int64_t free_ns) {
  PENSTOCK_ASSIGN_OR_RETURN(
      const StepPlan plan,
      Await(device, {.arrived = true, .at_end = true, .ready_ns = free_ns}));
  return plan.begin_ns;
}

void Coordinator::ArriveCancelled(uint32_t device, const Status& status) {
  (void)Await(device, {.arrived = true, .status = status});
}

StatusOr<StepPlan> Coordinator::Await(uint32_t device, const Place& place) {
  std::unique_lock lock(mutex_);
  if (!status_.ok()) return status_;
  const uint64_t last_step = places_[device].step;
  places_[device] = place;
  if (place.at_end || !place.status.ok()) places_[device].step = last_step;
  if (++arrived_ < places_.size()) {
    const uint64_t generation = generation_;
    released_.wait(lock,
                   [&] { return !status_.ok() || generation_ != generation; });
    // A release that came before the error still counts: all devices see it.
    if (generation_ == generation) return status_;
    return plan_;
  }
  const StatusOr<StepPlan> plan = Release();
  if (!plan.ok()) {
    lock.unlock();
    Fail(plan.status());
    return plan.status();
  }
  plan_ = *plan;
  arrived_ = 0;
  for (Place& p : places_) p.arrived = false;
  ++generation_;
  lock.unlock();
  released_.notify_all();
  return plan;
}

StatusOr<StepPlan> Coordinator::Release() {
  PENSTOCK_RETURN_IF_ERROR(CheckAgreement());
  StepPlan plan;
  size_t late = 0;
  for (size_t d = 0; d < places_.size(); ++d) {
    if (places_[d].ready_ns > places_[late].ready_ns) late = d;
    plan.compile_ns = std::max(plan.compile_ns, places_[d].compile_ns);
  }
  plan.begin_ns = places_[late].ready_ns;
  if (places_[0].at_end) return plan;
  for (const Place& place : places_) {
    waited_for_ns_[late] += plan.begin_ns - place.ready_ns;
  }
  PENSTOCK_ASSIGN_OR_RETURN(
      const bool compile,
      compile_cache_.NeedsCompile(KeyOf(contract_, places_[0].shape),
                                  places_[0].step, plan.compile_ns));
  if (!compile) plan.compile_ns = 0;
  ++steps_;
  plan.last = stop_soon_ || steps_ == options_.max_steps;
  return plan;
}

Status Coordinator::CheckAgreement() const {
  for (size_t d = 0; d < places_.size(); ++d) {
    if (!places_[d].status.ok()) return Annotate(places_[d].status, Name(d));
  }
  const Place& first = places_[0];
  for (size_t d = 1; d < places_.size(); ++d) {
    const Place& other = places_[d];
    if (other.at_end != first.at_end) {
      const size_t ended = first.at_end ? 0 : d;
      const size_t goes_on = first.at_end ? d : 0;
      return InternalError(fmt::format(
          "{} has no more data, but {} has a batch for step {}; all hosts must "
          "take the same number of steps",
          Name(ended), Name(goes_on), places_[goes_on].step));
    }
    if (first.at_end) continue;
    if (other.step != first.step) {
      return InternalError(
          fmt::format("{} brings step {}, but {} brings step {}", Name(d),
                      other.step, Name(0), first.step));
    }
    if (other.shape != first.shape) {
      return InternalError(fmt::format(
          "in step {} {} brings shape {}, but {} brings shape {}; all hosts "
          "must run the same program",
          first.step, Name(d), other.shape, Name(0), first.shape));
    }
  }
  return OkStatus();
}

void Coordinator::Fail(const Status& status) {
  {
    const std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = status;
  }
  released_.notify_all();
  stop_.request_stop();
}

void Coordinator::RequestStop() {
  const std::lock_guard lock(mutex_);
  stop_soon_ = true;
}

Status Coordinator::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

uint64_t Coordinator::steps() const {
  const std::lock_guard lock(mutex_);
  return steps_;
}

std::vector<int64_t> Coordinator::waited_for_ns() const {
  const std::lock_guard lock(mutex_);
  return waited_for_ns_;
}

std::vector<CompileEvent> Coordinator::compiles() const {
  const std::lock_guard lock(mutex_);
  return compile_cache_.events();
}

std::string Coordinator::Describe() const {
  const std::lock_guard lock(mutex_);
  std::string late;
  for (size_t d = 0; d < places_.size(); ++d) {
    if (places_[d].arrived) continue;
    late += (late.empty() ? "" : ", ") + Name(d);
  }
  std::string text;
  for (size_t d = 0; d < places_.size(); ++d) {
    const Place& place = places_[d];
    if (!place.arrived) {
      text += fmt::format("{}: not ready for the next step, {}\n", Name(d),
                          steps_ == 0
                              ? std::string("has done none")
                              : fmt::format("last was in step {}", place.step));
    } else if (!place.status.ok()) {
      text += fmt::format("{}: its data was cancelled\n", Name(d));
    } else if (place.at_end) {
      text += fmt::format("{}: at its end, waits for {}\n", Name(d), late);
    } else {
      text += fmt::format("{}: ready for step {}, waits for {}\n", Name(d),
                          place.step, late);
    }
  }
  return text;
}

std::string Coordinator::Name(size_t device) const {
  return fmt::format("device {} (host {})", device, host_of_device_[device]);
}

}  // namespace penstock
