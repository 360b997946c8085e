// Hosts of a run compare what they are about to do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status.h"
#include "pipeline/compile/choice.h"
#include "pipeline/group.h"
#include "pipeline/run/job.h"
#include "pipeline/state.h"
#include "pipeline/topology.h"

namespace penstock {

// What must be the same on every host, under a name for messages.
struct Claim {
  std::string name;   // "the data"
  std::string value;  // compared
  std::string told;   // what to say of it where it differs; may be empty
};

// What all hosts of a run must have in common.
std::vector<Claim> ClaimsOf(const Job& job, const Choice& choice);

// kInvalidArgument unless the group is that of the topology's hosts, and its
// end that of this one.
Status CheckGroup(const Topology& topology, const Group& group);

// Waits for all hosts and compares what they claim; every host must call it
// with claims of the same names in the same order.
// Errors:  those of Group; kFailedPrecondition naming the first host that
//          differs from host 0 and in what, the same on every host.
Status CompareClaims(const std::vector<Claim>& claims, Group& group);

}  // namespace penstock
