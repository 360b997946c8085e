#include "tools/infeedsim/virtual_arguments.h"

#include <cmath>

namespace penstock {
namespace {

constexpr double kMostVirtualMs = 1e9;

int64_t Nanoseconds(double ms) { return std::llround(ms * 1e6); }

}  // namespace

VirtualTimes VirtualArguments::Times() const {
  return {.seed = seed,
          .build = {.fixed_ns = Nanoseconds(build_ms),
                    .exponential_mean_ns = Nanoseconds(build_jitter_ms)},
          .transfer_extra = {.exponential_mean_ns =
                                 Nanoseconds(transfer_jitter_ms)},
          .step_extra = {.exponential_mean_ns = Nanoseconds(step_jitter_ms)}};
}

void VirtualArguments::AddTo(Command& command) {
  ArgumentGroup& times = command.Group("Virtual time");
  times.Choice("--clock", clock,
               {{"real", RunClock::kReal}, {"virtual", RunClock::kVirtual}},
               "Whether hosts and devices run, or are computed from the plan "
               "and the times given; the rest of this group is of virtual "
               "time alone");
  times.Number("--jitter-seed", seed, "SEED", "Of the times that vary");
  times
      .Number("--build-time", build_ms, "MS",
              "Milliseconds a host takes to build its part of a batch")
      .Between(0, kMostVirtualMs);
  times
      .Number("--build-jitter", build_jitter_ms, "MS",
              "Mean of an exponential time on top")
      .Between(0, kMostVirtualMs);
  times
      .Number("--transfer-jitter", transfer_jitter_ms, "MS",
              "The same for each core's transfer")
      .Between(0, kMostVirtualMs);
  times
      .Number("--step-jitter", step_jitter_ms, "MS",
              "The same for each core's step")
      .Between(0, kMostVirtualMs);
}

}  // namespace penstock
