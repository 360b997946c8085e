// The lengths of a round's rows, told from host to host.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/agreement.h"
#include "pipeline/arrange/rounds.h"
#include "pipeline/run/job.h"

namespace penstock {

// `mine` are the lengths of this host's rows of `round`, in their order.
// Returns those of all positions, in their order.
// Errors:  kCancelled where a host gave up; kFailedPrecondition where the hosts
//          do not read the same round of the same job.
StatusOr<std::vector<uint32_t>> ExchangeLengths(const Job& job,
                                                const Round& round,
                                                std::span<const uint32_t> mine,
                                                Agreement& agreement);

}  // namespace penstock
