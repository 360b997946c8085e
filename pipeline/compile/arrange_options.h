// What a graph and its indexes tell the arranger.
#pragma once

#include "formats/files/status_or.h"
#include "pipeline/arrange/arranger.h"
#include "pipeline/build/source_decoders.h"
#include "pipeline/graph/sources.h"
#include "pipeline/graph/stages.h"
#include "pipeline/order/lengths.h"
#include "pipeline/tasks/task_queue.h"

namespace penstock {

// Without a limit of what waits.
ArrangeOptions ArrangeOf(const Stages& stages, const SourceDecoders& decoder);

// Lengths that are known before a record is read.
struct PlannedLengths {
  LengthTable arranged;  // what rows are arranged by; empty where nothing is
  LengthTable values;    // of the first feature, where cells arrange
};

// Reads the indexes; where several features arrange, measures every record on
// `tasks` and gives `arrange` the cells' means.
StatusOr<PlannedLengths> LengthsOf(const Stages& stages, const Sources& sources,
                                   TaskQueue& tasks, ArrangeOptions& arrange);

}  // namespace penstock
