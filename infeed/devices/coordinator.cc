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
      clock_(options.clock != nullptr ? *options.clock : SteadyClock()),
      devices_here_(options.group == nullptr
                        ? host_of_device_.size()
                        : static_cast<size_t>(std::ranges::count(
                              host_of_device_, options.group->host()))),
      places_(host_of_device_.size()),
      compile_cache_(options.compile),
      waited_for_ns_(host_of_device_.size(), 0) {}

Meeting Coordinator::Tell(const Arrival& arrival) {
  return Arrive({.device = arrival.device,
                 .step = arrival.step,
                 .shape = arrival.shape,
                 .ready_ns = arrival.ready_ns,
                 .compile_ns = arrival.compile_ns});
}

Meeting Coordinator::TellEnd(uint32_t device, int64_t free_ns) {
  return Arrive({.device = device, .at_end = true, .ready_ns = free_ns});
}

Meeting Coordinator::TellCancelled(uint32_t device, const Status& status) {
  return Arrive({.device = device, .status = status});
}

Meeting Coordinator::Arrive(ToldArrival arrival) {
  const std::lock_guard lock(mutex_);
  ToldArrival& place = places_[arrival.device];
  arrival.arrived = true;
  if (arrival.at_end || !arrival.status.ok()) {
    arrival.step = place.step;  // of the last
  }
  place = std::move(arrival);
  return {.number = meetings_, .all_told = ++arrived_ == devices_here_};
}

StatusOr<StepPlan> Coordinator::Await(const Meeting& meeting) {
  std::unique_lock lock(mutex_);
  if (!meeting.all_told) {
    released_.wait(
        lock, [&] { return !status_.ok() || meetings_ != meeting.number; });
    // A release that came before the error still counts: all devices see it.
    if (meetings_ == meeting.number) return status_;
    return plan_;
  }
  if (!status_.ok()) return status_;
  const StatusOr<StepPlan> plan = Begin(lock);
  if (!plan.ok()) {
    lock.unlock();
    Fail(plan.status());
    return plan.status();
  }
  plan_ = *plan;
  arrived_ = 0;
  for (ToldArrival& place : places_) place.arrived = false;
  ++meetings_;
  lock.unlock();
  released_.notify_all();
  return plan;
}

StatusOr<StepPlan> Coordinator::Begin(std::unique_lock<std::mutex>& lock) {
  bool stop_all = false;
  if (options_.group != nullptr) {
    // Who is asked to stop until then stops with this step.
    int64_t ready_ns = 0;
    for (size_t d = 0; d < places_.size(); ++d) {
      if (IsHere(d)) ready_ns = std::max(ready_ns, places_[d].ready_ns);
    }
    PENSTOCK_RETURN_IF_ERROR(WaitUntil(lock, ready_ns));
    meeting_ = true;
    const StatusOr<bool> met = MeetOthers(lock);
    meeting_ = false;
    PENSTOCK_ASSIGN_OR_RETURN(stop_all, met);
  }
  PENSTOCK_ASSIGN_OR_RETURN(StepPlan plan, Agree());
  PENSTOCK_RETURN_IF_ERROR(WaitUntil(lock, plan.begin_ns));
  if (plan.end) return plan;
  ++steps_;
  if (options_.group == nullptr) stop_all = stop_soon_;
  plan.last = stop_all || steps_ == options_.max_steps;
  if (plan.compile_ns > 0) {
    PENSTOCK_RETURN_IF_ERROR(WaitUntil(lock, plan.begin_ns + plan.compile_ns));
  }
  return plan;
}

Status Coordinator::WaitUntil(std::unique_lock<std::mutex>& lock,
                              int64_t deadline_ns) {
  lock.unlock();
  clock_.WaitUntil(deadline_ns, stop_.get_token());
  lock.lock();
  return status_;
}

StatusOr<bool> Coordinator::MeetOthers(std::unique_lock<std::mutex>& lock) {
  Group& group = *options_.group;
  if (!origin_ns_) {
    lock.unlock();
    const Status met = group.AllGather({}).status();
    lock.lock();
    PENSTOCK_RETURN_IF_ERROR(met);
    origin_ns_ = clock_.NowNs();
  }
  std::vector<ToldArrival> mine;
  for (size_t d = 0; d < places_.size(); ++d) {
    if (!IsHere(d)) continue;
    mine.push_back(places_[d]);
    mine.back().ready_ns -= *origin_ns_;
  }
  const std::string told = TellArrivals(mine, stop_soon_);
  lock.unlock();
  const auto all = group.AllGather(told);
  lock.lock();
  bool stop_soon = false;  // as told: others know of no more
  PENSTOCK_RETURN_IF_ERROR(all.status());
  for (uint32_t host = 0; host < group.hosts(); ++host) {
    PENSTOCK_ASSIGN_OR_RETURN(const ToldArrivals theirs,
                              HearArrivals((*all)[host]));
    stop_soon = stop_soon || theirs.stop_soon;
    for (const ToldArrival& arrival : theirs.arrivals) {
      if (arrival.device >= places_.size() ||
          host_of_device_[arrival.device] != host) {
        return InternalError(
            fmt::format("host {} speaks of device {}, which is not its own",
                        host, arrival.device));
      }
      places_[arrival.device] = arrival;
      places_[arrival.device].ready_ns += *origin_ns_;
    }
  }
  return stop_soon;
}

StatusOr<StepPlan> Coordinator::Agree() {
  PENSTOCK_RETURN_IF_ERROR(CheckAgreement());
  StepPlan plan;
  size_t late = 0;
  for (size_t d = 0; d < places_.size(); ++d) {
    if (places_[d].ready_ns > places_[late].ready_ns) late = d;
    plan.compile_ns = std::max(plan.compile_ns, places_[d].compile_ns);
  }
  plan.begin_ns = places_[late].ready_ns;
  plan.end = places_[0].at_end;
  if (plan.end) return plan;
  for (const ToldArrival& place : places_) {
    waited_for_ns_[late] += plan.begin_ns - place.ready_ns;
  }
  PENSTOCK_ASSIGN_OR_RETURN(
      const bool compile,
      compile_cache_.NeedsCompile(KeyOf(contract_, places_[0].shape),
                                  places_[0].step, plan.compile_ns));
  if (!compile) plan.compile_ns = 0;
  return plan;
}

Status Coordinator::CheckAgreement() const {
  for (size_t d = 0; d < places_.size(); ++d) {
    if (!places_[d].status.ok()) return Annotate(places_[d].status, Name(d));
  }
  const ToldArrival& first = places_[0];
  for (size_t d = 1; d < places_.size(); ++d) {
    const ToldArrival& other = places_[d];
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
  if (options_.group != nullptr) options_.group->Fail(status);
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

int64_t Coordinator::origin_ns() const {
  const std::lock_guard lock(mutex_);
  return origin_ns_.value_or(0);
}

std::string Coordinator::Describe() const {
  const std::lock_guard lock(mutex_);
  std::string late;
  for (size_t d = 0; d < places_.size(); ++d) {
    if (places_[d].arrived || !IsHere(d)) continue;
    late += (late.empty() ? "" : ", ") + Name(d);
  }
  if (late.empty()) late = meeting_ ? "other hosts" : "its begin";
  std::string text;
  for (size_t d = 0; d < places_.size(); ++d) {
    const ToldArrival& place = places_[d];
    if (!IsHere(d)) continue;
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
