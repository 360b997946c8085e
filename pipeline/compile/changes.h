// A run that goes on by another graph than it began with.
#pragma once

#include "formats/files/status_or.h"
#include "pipeline/run/job.h"
#include "pipeline/state.h"

namespace penstock {

// `state` as a run of `job` goes on from it: itself where it is of its graph.
// Where that has changed, in what job.changed names, a state of the same step
// whose lineage has a plan more, and whose rows that waited are ahead.
// Errors:  kFailedPrecondition naming the first part of the graph that differs
//          otherwise, and what a change cannot go on from.
StatusOr<State> GoingOnFrom(const Job& job, const State& state);

}  // namespace penstock
