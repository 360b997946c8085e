// Where a run without end, of steps that come again and again, saves.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "infeed/accounts/step_times.h"

namespace penstock {

using WideNs = __int128;  // of runs without end

// The work of steps that come again and again.
class StepWork {
 public:
  explicit StepWork(std::span<const StepSpan> steps);

  uint64_t steps() const { return ends_ns_.size() - 1; }
  int64_t all_ns() const { return ends_ns_.back(); }
  // Until the end of the first `step` steps.
  WideNs Until(uint64_t step) const {
    return WideNs{all_ns()} * (step / steps()) + ends_ns_[step % steps()];
  }
  // How many steps end within `work`.
  uint64_t Within(WideNs work) const;
  // The first step behind which `work` is done.
  uint64_t Reaching(WideNs work) const;

 private:
  std::vector<int64_t> ends_ns_;  // [steps + 1]
};

// The steps behind which a run saves, one after the other: the next one that
// ends once `interval_ns` of work are done. As its steps its saves come again
// and again, from one of them on; failures change nothing of them.
//
// Cost:    of each save about 100 ns the first time, no more than that of a
//          division once they come again; 16 bytes a step.
class SavePoints {
 public:
  // `work` is borrowed; `interval_ns` is more than 0.
  SavePoints(const StepWork& work, int64_t interval_ns);

  // Of the k-th save; the 0th is the begin.
  uint64_t StepOf(uint64_t k);

 private:
  // Where another save was behind the same of the steps that come again, all
  // that follows that one follows this one.
  void Append(uint64_t step);

  const StepWork& work_;
  const int64_t interval_ns_;
  std::vector<uint64_t> point_of_;  // [steps]: its number in steps_
  std::vector<uint64_t> steps_;
  // Of the saves that come again.
  uint64_t again_ = 0;
  std::optional<uint64_t> period_;
  uint64_t cycle_steps_ = 0;
};

}  // namespace penstock
