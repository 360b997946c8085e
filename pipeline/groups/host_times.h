// How long hosts of a group wait for each other.
#pragma once

#include <cstdint>

namespace penstock {

// Source:  JAX's distributed runtime waits 300 s for hosts to come and 100 s
//          for a sign of life.
struct HostTimes {
  // Until all hosts have come.
  int64_t join_ns = 300'000'000'000;
  // A host that gives no sign of life for so long is dead. Signs are given
  // four times as often, whatever the host is at; a host that is swapped out or
  // stopped for longer ends the run.
  int64_t silence_ns = 100'000'000'000;
  // Who goes waits so long, at most, for others to hear of it.
  int64_t leave_ns = 5'000'000'000;
};

}  // namespace penstock
