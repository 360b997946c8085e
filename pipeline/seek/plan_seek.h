// Where a planned run will be after any of its steps, without running it.
#pragma once

#include <cstdint>

#include "formats/files/status_or.h"
#include "pipeline/arrange/plan_facts.h"
#include "pipeline/arrange/steps.h"
#include "pipeline/seek/seek_options.h"
#include "pipeline/state.h"
#include "pipeline/tasks/task_queue.h"

namespace penstock {

// The state after `step` steps of the run: what the run itself would have
// given.
//
// Cost:    a look at the order and the lengths of one epoch up to the step (of
//          all epochs up to it, where they have different records), by all of
//          `tasks`' threads; memory of 8 bytes a queue for each 65,536 records.
//          Where rows are packed and records not cut, or are of one host each,
//          the arithmetic of the whole run up to the step, about 150 ns a
//          record, by one thread.
// Errors:  kFailedPrecondition for a step that the run does not have;
//          kCancelled.
StatusOr<State> SeekStep(const PlanFacts& facts, uint64_t step,
                         TaskQueue& tasks, const SeekOptions& options);

// The step that comes then.
// Errors:  those of SeekStep(), also after the last step.
StatusOr<Step> StepAfter(const PlanFacts& facts, uint64_t step,
                         TaskQueue& tasks, const SeekOptions& options);

}  // namespace penstock
