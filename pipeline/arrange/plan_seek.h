// Where a planned run will be after any of its steps, without running it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>

#include "formats/files/callback.h"
#include "formats/files/status_or.h"
#include "pipeline/arrange/arranger.h"
#include "pipeline/arrange/forecast.h"
#include "pipeline/arrange/plan.h"
#include "pipeline/arrange/steps.h"
#include "pipeline/order/lengths.h"
#include "pipeline/order/order.h"
#include "pipeline/tasks/task_queue.h"

namespace penstock {

// What a plan is made of, for those who need several of it.
struct PlanFacts {
  std::shared_ptr<const Order> order;
  LengthTable lengths;
  ArrangeOptions arrange;
  StepOptions steps;
  RefuseRow too_long = {};
  Forecast forecast;  // of epoch 0, as of all that have the same records
  // Of the feature that arranges, where `lengths` are measures of several.
  LengthTable values = {};

  Plan MakePlan() const;
  Forecast ForecastOf(uint64_t epoch, TaskQueue& tasks) const;
};

struct SeekOptions {
  // Goes on from here instead of the start, as a run that changed has to: by
  // the arithmetic of each step, and to none that lies before.
  std::optional<State> from = {};
  std::stop_token stop = {};
  // Told how many of how many records were looked at, by one thread at a time.
  Callback<void(uint64_t done, uint64_t of)> progress = {};
};

// The state after `step` steps of the run: what the run itself would have
// given.
//
// Cost:    a look at the order and the lengths of one epoch up to the step (of
//          all epochs up to it, where they have different records), by
//          all of `tasks`' threads; memory of 8 bytes a queue for each 65,536
//          records. Where rows are packed and records not cut, or are of one
//          host each, the arithmetic
//          of the whole run up to the step, about 150 ns a record, by one
//          thread; then `of` is an estimate.
// Errors:  kFailedPrecondition for a step that the run does not have;
//          kCancelled.
StatusOr<State> SeekStep(const PlanFacts& facts, uint64_t step,
                         TaskQueue& tasks, const SeekOptions& options);

// The step that comes then.
// Errors:  those of SeekStep(), also after the last step.
StatusOr<Step> StepAfter(const PlanFacts& facts, uint64_t step,
                         TaskQueue& tasks, const SeekOptions& options);

}  // namespace penstock
