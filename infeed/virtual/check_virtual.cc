#include "infeed/virtual/check_virtual.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace penstock {
namespace {

// Of a run in which one thing comes after the other, and what is drawn is as
// long as it can be.
double LongestNs(std::span<const VirtualStep> steps, uint64_t count,
                 const VirtualOptions& options) {
  constexpr double kMostMeans = 37;  // -log(2^-53)
  const auto add = [](auto... times) {
    return (static_cast<double>(times) + ...);
  };
  const double parts = options.parts_of_host.empty()
                           ? 1
                           : std::ranges::max(options.parts_of_host);
  const size_t different = std::min<uint64_t>(steps.size(), count);
  double of_steps = 0;
  for (const VirtualStep& step : steps.first(different)) {
    of_steps += add(step.least_build_ns, step.dealt_ns, step.transfer_ns,
                    step.step_ns, step.compile_ns) +
                parts * add(step.build_ns, step.hand_over_ns);
  }
  double each = 0;
  for (const DelayLaw& law :
       {options.build, options.transfer_extra, options.step_extra}) {
    each += add(law.fixed_ns) + kMostMeans * add(law.exponential_mean_ns);
  }
  if (options.outfeed.every > 0) {
    each += add(options.outfeed.drain_ns) * add(options.host_of_core.size());
  }
  const double rounds =
      different == 0 ? 0 : std::ceil(add(count) / add(different));
  return rounds * of_steps + add(count) * each;
}

}  // namespace

Status CheckVirtual(std::span<const VirtualStep> steps, uint64_t count,
                    const VirtualOptions& options) {
  if (steps.empty() || options.host_of_core.empty()) {
    return InvalidArgumentError("a virtual run needs a step and a core");
  }
  for (const uint32_t host : options.host_of_core) {
    if (host < options.hosts) continue;
    return InvalidArgumentError(
        fmt::format("a core on host {}, but the {} hosts count from 0", host,
                    options.hosts));
  }
  if (!options.parts_of_host.empty() &&
      options.parts_of_host.size() != options.hosts) {
    return InvalidArgumentError(
        fmt::format("parts of {} hosts, but there are {}",
                    options.parts_of_host.size(), options.hosts));
  }
  bool negative = false;
  for (const VirtualStep& step : steps) {
    negative = negative || step.build_ns < 0 || step.dealt_ns < 0 ||
               step.hand_over_ns < 0 || step.least_build_ns < 0 ||
               step.transfer_ns < 0 || step.step_ns < 0 ||
               step.compile_ns < 0 || step.pad_rows > step.rows;
  }
  for (const DelayLaw& law :
       {options.build, options.transfer_extra, options.step_extra}) {
    negative = negative || law.fixed_ns < 0 || law.exponential_mean_ns < 0;
  }
  const FailureOptions& failures = options.failures;
  negative = negative || failures.host_mean_ns < 0 || failures.restart_ns < 0 ||
             failures.save_ns < 0 || failures.save_interval_ns < 0 ||
             options.outfeed.drain_ns < 0;
  if (negative) {
    return InvalidArgumentError(
        "a virtual run with a negative time, or more rows that pad than rows");
  }
  constexpr double kMostRunNs = 9e18;
  if (LongestNs(steps, count, options) < kMostRunNs) return OkStatus();
  return InvalidArgumentError(
      "a virtual run whose times may add up to more than 285 years, which is "
      "as far as it counts nanoseconds: take fewer steps or shorter times");
}

}  // namespace penstock
