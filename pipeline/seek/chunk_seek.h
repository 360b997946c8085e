// Where a plan that cuts records is before any of its steps: sums of lengths
// say it.
#pragma once

#include <cstdint>

#include "formats/files/status_or.h"
#include "pipeline/arrange/plan_facts.h"
#include "pipeline/seek/seek_options.h"
#include "pipeline/state.h"
#include "pipeline/tasks/task_queue.h"

namespace penstock {

// Whether ChunkStateBefore() knows it: all epochs have as many steps, and
// nothing is dropped.
bool ChunkStatesAreSums(const PlanFacts& facts);

// The state before the last of the first `step` steps of the run. For facts of
// which ChunkStatesAreSums() is true.
// Cost:    a look at the order and the lengths of one epoch up to the step by
//          all of `tasks`' threads; memory of 8 bytes for each 65,536 records.
// Errors:  kFailedPrecondition for a step that the run does not have;
//          kCancelled.
StatusOr<State> ChunkStateBefore(const PlanFacts& facts, uint64_t step,
                                 TaskQueue& tasks, const SeekOptions& options);

}  // namespace penstock
