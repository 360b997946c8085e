// Which of a run's hosts this process is: told by flags, or by what launchers
// set in the environment.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "formats/files/status_or.h"

namespace penstock {

struct HostPlace {
  uint32_t hosts = 1;
  uint32_t host = 0;        // this process
  std::string coordinator;  // of host 0: "node001:63111"
  std::string told_by;      // "flags", "Open MPI", "Slurm", ...
};

// What a user said; counts before what the environment says.
struct HostFlags {
  std::optional<uint32_t> hosts = std::nullopt;
  std::optional<uint32_t> host = std::nullopt;
  std::string coordinator = {};
};

// The value of a variable, nullopt where it is not set.
using Environment =
    std::function<std::optional<std::string>(const std::string& name)>;
Environment ProcessEnvironment();

struct FoundPlace {
  // nullopt where this process is alone.
  std::optional<HostPlace> place;
  // For people: what was seen, and what was not.
  std::string explanation;
};

// Asks the flags, then Open MPI, Slurm, TPU VMs, Kubernetes: the first that is
// seen counts. A launcher that tells of one process leaves it alone.
//
// Errors:  kInvalidArgument where the flags say another thing than the
//          launcher, and for half of what is needed, naming what lacks.
// Source:  the addresses and ports are those of JAX's cluster detection, so
//          that both find one place; processes of one machine meet at its
//          loopback address instead. The metadata server of TPU VMs and
//          Kubernetes' API are not asked.
StatusOr<FoundPlace> FindHostPlace(const HostFlags& flags,
                                   const Environment& environment);

}  // namespace penstock
