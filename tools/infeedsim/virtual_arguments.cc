#include "tools/infeedsim/virtual_arguments.h"

#include <cmath>

namespace penstock {
namespace {

constexpr double kMostVirtualMs = 1e9;

constexpr double kMostVirtualSeconds = 1e8;

int64_t Nanoseconds(double ms) { return std::llround(ms * 1e6); }
int64_t SecondsToNs(double s) { return std::llround(s * 1e9); }

}  // namespace

VirtualTimes VirtualArguments::Times() const {
  return {.seed = seed,
          .build = {.fixed_ns = Nanoseconds(build_ms),
                    .exponential_mean_ns = Nanoseconds(build_jitter_ms)},
          .transfer_extra = {.exponential_mean_ns =
                                 Nanoseconds(transfer_jitter_ms)},
          .step_extra = {.exponential_mean_ns = Nanoseconds(step_jitter_ms)},
          .failures = {.host_mean_ns = SecondsToNs(host_mtbf_s),
                       .restart_ns = SecondsToNs(restart_s),
                       .save_ns = SecondsToNs(save_s),
                       .save_interval_ns = SecondsToNs(save_interval_s)}};
}

void VirtualArguments::AddTo(Command& command) {
  ArgumentGroup& times = command.Group("Virtual time");
  times.Choice("--clock", clock,
               {{"real", RunClock::kReal}, {"virtual", RunClock::kVirtual}},
               "Whether hosts and devices run, or are computed from the plan "
               "and the times given; the rest of this group is of virtual "
               "time alone");
  times.Number("--jitter-seed", seed, "SEED", "Of the times that vary");
  times.Option("--calibration", calibration, "FILE",
               "What stages cost, as a real run wrote it with "
               "--write-calibration; given times of steps, compiles and the "
               "link count instead of its own");
  times
      .Number("--build-time", build_ms, "MS",
              "Milliseconds a host takes to build its part of a batch, on top "
              "of what --calibration says")
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
  times
      .Number("--host-mtbf", host_mtbf_s, "S",
              "Mean seconds between failures of a host, exponential; 0 is "
              "never. The run goes back to its last save")
      .Between(0, kMostVirtualSeconds);
  times
      .Number("--restart-time", restart_s, "S",
              "Seconds from a failure to the next step")
      .Between(0, kMostVirtualSeconds);
  times
      .Number("--save-time", save_s, "S",
              "Seconds that training stands still for a save")
      .Between(0, kMostVirtualSeconds);
  times
      .Number("--save-interval", save_interval_s, "S",
              "Seconds of steps from one save to the next; 0 finds the best")
      .Between(0, kMostVirtualSeconds);
}

}  // namespace penstock
