#include "pipeline/run/shared_plan.h"

#include <algorithm>
#include <utility>

#include "pipeline/tasks/cancelled.h"

namespace penstock {

SharedPlan::SharedPlan(Plan plan, std::shared_ptr<const void> owner,
                       size_t window)
    : owner_(std::move(owner)),
      window_(std::max<size_t>(window, 1)),
      plan_(std::move(plan)) {}

StatusOr<SharedPlan::Taken> SharedPlan::Take(uint64_t number,
                                             const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (making_ && number >= end() &&
      !made_.wait(lock, stop, [&] { return !making_ || number < end(); })) {
    return PipelineCancelled();
  }
  if (number < begin_) return Taken();
  if (number < end()) return Taken{.step = steps_[number - begin_]};
  if (!failed_.ok()) return failed_;
  if (at_end_) return Taken{.at_end = at_end_};
  if (broken_) return Taken();
  making_ = true;
  lock.unlock();
  StatusOr<bool> made = false;
  std::shared_ptr<Step> step;
  try {
    step = std::make_shared<Step>();
    made = plan_.Next(stop, *step);
    lock.lock();
    if (made.ok() && *made) Keep(step);
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    broken_ = true;
    making_ = false;
    made_.notify_all();
    throw;
  }
  making_ = false;
  made_.notify_all();
  // Whoever is cancelled leaves the plan as it was between two rows.
  if (!made.ok() && !IsCancelled(made.status())) failed_ = made.status();
  if (!made.ok()) return made.status();
  if (*made) return Taken{.step = std::move(step)};
  at_end_ = plan_.steps().counts();
  return Taken{.at_end = at_end_};
}

void SharedPlan::Keep(std::shared_ptr<const Step> step) {
  steps_.push_back(std::move(step));
  if (steps_.size() <= window_) return;
  steps_.pop_front();
  ++begin_;
}

}  // namespace penstock
