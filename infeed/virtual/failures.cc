#include "infeed/virtual/failures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "infeed/virtual/delay_law.h"
#include "infeed/virtual/save_points.h"

namespace penstock {
namespace {

using Ns = WideNs;

// No stage of VirtualStage draws under this number.
constexpr uint64_t kFailureStage = 3;
// A run that was cut off so often is not going to end.
constexpr uint64_t kMostFailures = 1'000'000;
// In each run of a sweep. The loss of one failure varies by about 0.6 of its
// mean, so that of a fine run is known to 1 %.
constexpr uint64_t kCoarseFailures = 500;
constexpr uint64_t kFineFailures = 5'000;
constexpr int kCoarseRuns = 16;
constexpr int kFineRuns = 13;

struct Totals {
  uint64_t failures = 0;
  uint64_t saves = 0;
  uint64_t steps_again = 0;
  Ns kept_ns = 0;
  Ns save_ns = 0;
  Ns lost_ns = 0;
  Ns restart_ns = 0;

  Ns wall_ns() const { return kept_ns + save_ns + lost_ns + restart_ns; }
  double loss() const {
    return 1 - static_cast<double>(kept_ns) / static_cast<double>(wall_ns());
  }
};

class FailingRun {
 public:
  FailingRun(const StepWork& work, uint32_t hosts, uint64_t seed,
             const FailureOptions& options)
      : work_(work),
        options_(options),
        seed_(seed),
        // The first of so many hosts, each by itself without a memory.
        law_({.exponential_mean_ns =
                  std::max<int64_t>(options.host_mean_ns / hosts, 1)}) {}

  // Until `steps` are done, or there were so many failures.
  Totals Run(int64_t interval_ns, uint64_t steps, uint64_t most_failures) {
    SavePoints points(work_, interval_ns);
    left_ns_ = NextFailure();
    for (uint64_t save = 0; all_.failures < most_failures;) {
      save = SaveUntilFailure(points, save, steps);
      const uint64_t saved = points.StepOf(save);
      const Ns work_ns = work_.Until(std::min(steps, points.StepOf(save + 1))) -
                         work_.Until(saved);
      if (points.StepOf(save + 1) >= steps && work_ns <= left_ns_) {
        all_.kept_ns += work_ns;
        break;
      }
      Fail(saved, work_ns);
    }
    return all_;
  }

 private:
  // Takes the saves behind the `save`-th that come before the next failure and
  // before `steps` are done, and gives the last of them.
  uint64_t SaveUntilFailure(SavePoints& points, uint64_t save, uint64_t steps) {
    const Ns from_ns = work_.Until(points.StepOf(save));
    const auto spent_ns = [&](uint64_t more) {
      return work_.Until(points.StepOf(save + more)) - from_ns +
             Ns{options_.save_ns} * more;
    };
    const auto comes = [&](uint64_t more) {
      return points.StepOf(save + more) < steps && spent_ns(more) <= left_ns_;
    };
    uint64_t over = 1;
    while (comes(over)) over *= 2;
    uint64_t last = over / 2;
    while (last + 1 < over) {
      const uint64_t middle = last + (over - last) / 2;
      (comes(middle) ? last : over) = middle;
    }
    left_ns_ -= static_cast<int64_t>(spent_ns(last));
    all_.kept_ns += work_.Until(points.StepOf(save + last)) - from_ns;
    all_.save_ns += Ns{options_.save_ns} * last;
    all_.saves += last;
    return save + last;
  }

  int64_t NextFailure() {
    return DrawNs(
        law_, {.seed = seed_, .stage = kFailureStage, .step = all_.failures});
  }

  // What was done since the save is lost, and a save that was not finished. A
  // host may fail while the run starts again, too.
  void Fail(uint64_t saved, Ns work_ns) {
    all_.lost_ns += left_ns_;
    all_.steps_again +=
        work_.Within(work_.Until(saved) + std::min(work_ns, Ns{left_ns_})) -
        saved;
    ++all_.failures;
    left_ns_ = NextFailure();
    while (left_ns_ < options_.restart_ns) {
      all_.restart_ns += left_ns_;
      ++all_.failures;
      if (all_.failures >= kMostFailures) return;
      left_ns_ = NextFailure();
    }
    all_.restart_ns += options_.restart_ns;
    left_ns_ -= options_.restart_ns;
  }

  const StepWork& work_;
  const FailureOptions& options_;
  const uint64_t seed_;
  const DelayLaw law_;
  int64_t left_ns_ = 0;  // until the next failure
  Totals all_;
};

// Where the parabola through the points has its lowest point; nullopt where it
// has none.
std::optional<double> LowestPoint(const std::vector<double>& x,
                                  const std::vector<double>& y) {
  // Least squares of y = a + b x + c x^2, about the middle of x.
  std::array<double, 5> sums = {};
  std::array<double, 3> with_y = {};
  const double middle = (x.front() + x.back()) / 2;
  for (size_t i = 0; i < x.size(); ++i) {
    double power = 1;
    for (size_t p = 0; p < sums.size(); ++p) {
      sums[p] += power;
      if (p < with_y.size()) with_y[p] += power * y[i];
      power *= x[i] - middle;
    }
  }
  // The points lie evenly about the middle: odd sums are 0.
  const double slope = with_y[1] / sums[2];
  const double curve = (sums[0] * with_y[2] - sums[2] * with_y[0]) /
                       (sums[0] * sums[4] - sums[2] * sums[2]);
  if (curve <= 0) return std::nullopt;
  return std::clamp(middle - slope / (2 * curve), x.front(), x.back());
}

int64_t ToNs(Ns ns) {
  return static_cast<int64_t>(
      std::min<Ns>(ns, std::numeric_limits<int64_t>::max()));
}

}  // namespace

StatusOr<FailureReport> RunWithFailures(std::span<const StepSpan> steps,
                                        uint32_t hosts, uint64_t seed,
                                        const FailureOptions& options) {
  FailureReport report = {.found = options.save_interval_ns == 0,
                          .interval_ns = options.save_interval_ns};
  if (report.found) {
    report.interval_ns = BestInterval(steps, hosts, seed, options);
  }
  const StepWork work(steps);
  const Totals all = FailingRun(work, hosts, seed, options)
                         .Run(report.interval_ns, work.steps(), kMostFailures);
  if (all.failures >= kMostFailures) {
    return InvalidArgumentError(fmt::format(
        "the run does not end: hosts failed {} times before it did; let them "
        "fail less often, save more often or take fewer steps",
        all.failures));
  }
  report.failures = all.failures;
  report.saves = all.saves;
  report.steps_again = all.steps_again;
  report.kept_ns = ToNs(all.kept_ns);
  report.save_ns = ToNs(all.save_ns);
  report.lost_ns = ToNs(all.lost_ns);
  report.restart_ns = ToNs(all.restart_ns);
  report.wall_ns = ToNs(all.wall_ns());
  return report;
}

int64_t BestInterval(std::span<const StepSpan> steps, uint32_t hosts,
                     uint64_t seed, const FailureOptions& options) {
  const StepWork work(steps);
  const double shortest =
      std::log(static_cast<double>(std::max<int64_t>(options.save_ns, 1)));
  const double longest = std::log(static_cast<double>(
      std::max<int64_t>(options.host_mean_ns / hosts, options.save_ns + 2)));
  const int64_t step_ns =
      std::max<int64_t>(work.all_ns() / static_cast<int64_t>(work.steps()), 1);
  if (options.save_ns == 0) return step_ns;
  const auto sweep = [&](double from, double to, int runs, uint64_t failures,
                         std::vector<double>& at, std::vector<double>& loss) {
    for (int i = 0; i < runs; ++i) {
      at.push_back(from + (to - from) * i / (runs - 1));
      loss.push_back(FailingRun(work, hosts, seed, options)
                         .Run(std::max(std::llround(std::exp(at.back())), 1LL),
                              std::numeric_limits<uint64_t>::max(), failures)
                         .loss());
    }
  };
  std::vector<double> at;
  std::vector<double> loss;
  sweep(shortest, longest, kCoarseRuns, kCoarseFailures, at, loss);
  const double best =
      at[static_cast<size_t>(std::ranges::min_element(loss) - loss.begin())];
  at.clear();
  loss.clear();
  sweep(best - std::log(2), best + std::log(2), kFineRuns, kFineFailures, at,
        loss);
  const std::optional<double> lowest = LowestPoint(at, loss);
  return std::max(step_ns,
                  int64_t{std::llround(std::exp(lowest.value_or(best)))});
}

}  // namespace penstock
