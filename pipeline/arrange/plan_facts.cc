#include "pipeline/arrange/plan_facts.h"

#include <algorithm>

namespace penstock {

Plan PlanFacts::MakePlan() const {
  return Plan(order, lengths, Steps(MakeArranger(arrange), steps), too_long);
}

Forecast PlanFacts::ForecastOf(uint64_t epoch, TaskQueue& tasks) const {
  if (!steps.Carries() || epoch + 1 != steps.epochs) {
    return ForecastEpoch(*order, epoch, lengths, arrange,
                         steps.leftover == Leftover::kPad, tasks);
  }
  // What is carried to the end of the run pads there.
  ArrangeOptions last = arrange;
  std::ranges::replace(last.leftovers, Leftover::kCarry, Leftover::kPad);
  return ForecastEpoch(*order, epoch, lengths, last, /*keep_left_over=*/true,
                       tasks);
}

}  // namespace penstock
