// What a plan says before the first step where each host reads a part of the
// data.
#pragma once

#include "formats/files/status.h"
#include "pipeline/arrange/plan_facts.h"
#include "pipeline/graph/order_tree.h"
#include "pipeline/graph/stages.h"
#include "pipeline/tasks/task_queue.h"

namespace penstock {

// What is known of the steps of an epoch of a tree with shares, in
// plan.forecast. Where rows of several lengths wait apart,
// Forecast::depends_on_shares stays, and the steps are what they would be if
// the shares had the same lengths.
void ForecastShares(const OrderTree& tree, PlanFacts& plan);

// kFailedPrecondition under Leftover::kError where the first epoch is sure to
// leave rows over, naming the host: its rows of a length do not fill its part
// of whole batches; where all rows have one queue, hosts have rows for
// different numbers of steps. What packed rows leave over is not known.
// Cost:    under Leftover::kError a look at the order and the lengths of an
//          epoch by all of `tasks`' threads, otherwise none.
Status CheckShares(const Stages& stages, const OrderTree& tree,
                   const PlanFacts& plan, TaskQueue& tasks);

}  // namespace penstock
