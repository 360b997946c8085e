// What infeedsim is told of a run in virtual time.
#pragma once

#include <cstdint>
#include <string>

#include "infeed/virtual/virtual_simulation.h"
#include "tools/arguments/command.h"

namespace penstock {

struct VirtualArguments {
  enum class RunClock { kReal, kVirtual } clock = RunClock::kReal;
  uint64_t seed = 17;
  std::string calibration;
  double build_ms = 0;
  double build_jitter_ms = 0;
  double transfer_jitter_ms = 0;
  double step_jitter_ms = 0;
  double host_mtbf_s = 0;
  double restart_s = 60;
  double save_s = 0;
  double save_interval_s = 0;

  bool chosen() const { return clock == RunClock::kVirtual; }
  // But for the calibration.
  VirtualTimes Times() const;

  // This must outlive `command`.
  void AddTo(Command& command);
};

}  // namespace penstock
