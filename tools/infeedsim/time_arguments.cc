#include "tools/infeedsim/time_arguments.h"

#include <cstdint>

namespace penstock {

void TimeArguments::AddTo(ArgumentGroup& group) {
  constexpr double kMostMilliseconds = 1e9;
  group.Number("--step-time", step_ms, "MS", "Milliseconds of a step")
      .Between(0, kMostMilliseconds)
      .DefaultsTo("10");
  group
      .Number("--step-ns-per-token", step_ns_per_token, "NS",
              "Added to a step for each of a core's tokens")
      .Between(0, kMostMilliseconds)
      .DefaultsTo("0");
  group.Number("--compile-time", compile_ms, "MS", "Milliseconds of a compile")
      .Between(0, kMostMilliseconds)
      .DefaultsTo("1000");
  group
      .Number("--link", gigabytes_per_second, "GB/S",
              "GB/s from host to each core")
      .Between(1e-6, 1e6)
      .DefaultsTo("16");
  group
      .Number("--outfeed-every", outfeed.every, "K",
              "Each core sends something back, such as losses, each K steps; "
              "0 is never")
      .Excludes({"--device"});
  group
      .Number("--outfeed-depth", outfeed.depth, "N",
              "Of these wait at a core at most; its step ends once there is a "
              "place")
      .Between(1, 1024)
      .Needs("--outfeed-every");
  group
      .Number("--drain-time", drain_ms, "MS",
              "Milliseconds that a host takes for one of these, one after the "
              "other")
      .Between(0, kMostMilliseconds)
      .Needs("--outfeed-every");
}

void TimeArguments::Apply(SimulatedDeviceOptions& device) const {
  device.outfeed = outfeed;
  device.outfeed.drain_ns = static_cast<int64_t>(drain_ms * 1e6);
  if (step_ms) device.step_ns = static_cast<int64_t>(*step_ms * 1e6);
  if (step_ns_per_token) device.step_ns_per_token = *step_ns_per_token;
  if (compile_ms) device.compile_ns = static_cast<int64_t>(*compile_ms * 1e6);
  if (gigabytes_per_second) {
    device.bytes_per_second = *gigabytes_per_second * 1e9;
  }
}

void TimeArguments::Apply(Calibration& calibration) const {
  if (step_ms || step_ns_per_token) {
    calibration.step = {.fixed_ns = step_ms.value_or(0) * 1e6,
                        .ns_each = step_ns_per_token.value_or(0)};
  }
  if (compile_ms) calibration.compile_ns = *compile_ms * 1e6;
  if (gigabytes_per_second) {
    calibration.transfer.ns_each = 1 / *gigabytes_per_second;
  }
}

}  // namespace penstock
