#include "infeed/virtual/save_points.h"

#include <algorithm>
#include <limits>

namespace penstock {
namespace {

constexpr uint64_t kNoSave = std::numeric_limits<uint64_t>::max();

}  // namespace

StepWork::StepWork(std::span<const StepSpan> steps) {
  ends_ns_.reserve(steps.size() + 1);
  ends_ns_.push_back(0);
  for (const StepSpan& step : steps) ends_ns_.push_back(step.end_ns);
}

uint64_t StepWork::Within(WideNs work) const {
  const auto cycles = static_cast<uint64_t>(work / all_ns());
  const auto rest = static_cast<int64_t>(work % all_ns());
  const auto behind =
      std::upper_bound(ends_ns_.begin(), ends_ns_.end() - 1, rest);
  return cycles * steps() + static_cast<uint64_t>(behind - ends_ns_.begin()) -
         1;
}

uint64_t StepWork::Reaching(WideNs work) const {
  const uint64_t within = Within(work);
  return Until(within) == work ? within : within + 1;
}

SavePoints::SavePoints(const StepWork& work, int64_t interval_ns)
    : work_(work), interval_ns_(interval_ns), point_of_(work.steps(), kNoSave) {
  Append(0);
}

uint64_t SavePoints::StepOf(uint64_t k) {
  while (!period_ && k >= steps_.size()) {
    Append(work_.Reaching(work_.Until(steps_.back()) + interval_ns_));
  }
  if (k < steps_.size()) return steps_[k];
  const uint64_t behind = k - again_;
  return steps_[again_ + behind % *period_] + behind / *period_ * cycle_steps_;
}

void SavePoints::Append(uint64_t step) {
  uint64_t& before = point_of_[step % work_.steps()];
  if (before == kNoSave) {
    before = steps_.size();
    steps_.push_back(step);
    return;
  }
  again_ = before;
  period_ = steps_.size() - before;
  cycle_steps_ = step - steps_[before];
}

}  // namespace penstock
