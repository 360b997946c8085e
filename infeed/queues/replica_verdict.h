// What follows from what hosts told each other of the rows that they share.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/files/status.h"
#include "infeed/queues/replica_digests.h"
#include "pipeline/contract.h"

namespace penstock {

// Errors:  kInternal where hosts are at different steps or some at their end.
Status CheckSteps(const std::vector<ReplicaPart>& hosts);
// Where hosts differ, rising; of `hosts` at the same step.
std::vector<SharedPart> FindDifferent(const std::vector<ReplicaPart>& hosts,
                                      const SharedShards& shared);
// What to end with: the first row of the first of `parts` in which hosts
// differ, and which host is alone with what it has, where that can be told.
// `rows` are those of each host's share of `parts`.
Status TellDifferent(
    const std::vector<std::vector<std::vector<RowDigest>>>& rows,
    const std::vector<SharedPart>& parts, const SharedShards& shared,
    const Contract& contract, uint64_t step);

}  // namespace penstock
