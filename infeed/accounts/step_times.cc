#include "infeed/accounts/step_times.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace penstock {
namespace {

int64_t NearestRank(const std::vector<int64_t>& sorted, size_t percent) {
  if (sorted.empty()) return 0;
  const size_t rank = (sorted.size() * percent + 99) / 100;
  return sorted[std::max<size_t>(rank, 1) - 1];
}

double Percent(int64_t part, int64_t whole) {
  return whole == 0
             ? 0.0
             : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// Steps that say how the run goes once it goes.
std::vector<StepSpan> SteadySteps(std::span<const StepSpan> steps) {
  std::vector<StepSpan> steady;
  for (size_t i = 1; i < steps.size(); ++i) {
    if (steps[i].compile_ns == 0) steady.push_back(steps[i]);
  }
  if (steady.empty()) steady.assign(steps.begin(), steps.end());
  return steady;
}

}  // namespace

std::string_view InputBoundName(InputBound bound) {
  switch (bound) {
    case InputBound::kNot:
      return "NOT input bound";
    case InputBound::kModerately:
      return "MODERATELY input bound";
    case InputBound::kHighly:
      return "HIGHLY input bound";
  }
  return "";
}

std::string_view OutfeedBoundName(InputBound bound) {
  switch (bound) {
    case InputBound::kNot:
      return "NOT outfeed bound";
    case InputBound::kModerately:
      return "MODERATELY outfeed bound";
    case InputBound::kHighly:
      return "HIGHLY outfeed bound";
  }
  return "";
}

InputBound InputBoundOf(double infeed_percent) {
  if (infeed_percent < 5) return InputBound::kNot;
  return infeed_percent < 20 ? InputBound::kModerately : InputBound::kHighly;
}

StepSummary Summarize(std::span<const StepSpan> steps) {
  StepSummary summary{.steps = steps.size()};
  if (steps.empty()) return summary;
  std::vector<int64_t> times;
  std::vector<int64_t> waits;
  int64_t stalled_ns = 0;
  int64_t outfeed_ns = 0;
  int64_t total_ns = 0;
  for (const StepSpan& step : SteadySteps(steps)) {
    times.push_back(step.took_ns());
    outfeed_ns += step.outfeed_ns;
    waits.push_back(step.begin_ns - step.free_ns);
    stalled_ns += waits.back();
    total_ns += times.back();
  }
  std::ranges::sort(times);
  summary.p50_ns = NearestRank(times, 50);
  summary.p90_ns = NearestRank(times, 90);
  summary.p99_ns = NearestRank(times, 99);
  summary.max_ns = times.back();
  std::ranges::sort(waits);
  summary.wait_p50_ns = NearestRank(waits, 50);
  summary.wait_p99_ns = NearestRank(waits, 99);
  summary.wait_max_ns = waits.back();
  summary.infeed_percent = Percent(stalled_ns, total_ns);
  summary.outfeed_percent = Percent(outfeed_ns, total_ns);
  int64_t compute_ns = 0;
  for (const StepSpan& step : steps) {
    compute_ns += step.end_ns - step.begin_ns - step.compile_ns;
  }
  summary.au_percent =
      Percent(compute_ns, steps.back().end_ns - steps.front().begin_ns);
  return summary;
}

}  // namespace penstock
