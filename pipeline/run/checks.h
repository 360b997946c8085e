// What is refused before step 0, and in which words.
#pragma once

#include <cstdint>
#include <string>

#include "formats/files/status.h"
#include "pipeline/arrange/forecast.h"
#include "pipeline/graph/sources.h"
#include "pipeline/graph/stages.h"
#include "pipeline/order/lengths.h"
#include "pipeline/pipeline.h"
#include "pipeline/topology.h"

namespace penstock {

// Errors:  kInvalidArgument for a batch that takes more than
//          options.max_batch_bytes on this host.
Status CheckSizes(const Stages& stages, const Topology& topology,
                  const CompileOptions& options);

// `why` it is streamed.
// Errors:  kInvalidArgument for what can only be planned, and for hosts that
//          have no group to tell each other lengths.
Status CheckStreamed(const Stages& stages, const Sources& sources,
                     const Topology& topology, const CompileOptions& options,
                     const std::string& why);

// The error for a row that is longer than the longest length.
Status TooLongError(const std::string& where, const Stages& stages,
                    uint64_t length);

// Errors:  kInvalidArgument for a row that is too long; kFailedPrecondition for
//          leftovers that are an error, and for endless epochs without a batch.
Status CheckForecast(const Stages& stages, const Sources& sources,
                     const LengthTable& lengths, const Forecast& forecast);

}  // namespace penstock
