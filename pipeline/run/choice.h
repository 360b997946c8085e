// What the data decides: planned or streamed, and lengths of buckets.
#pragma once

#include <string>

#include "pipeline/graph/sources.h"
#include "pipeline/graph/stages.h"
#include "pipeline/tasks/task_queue.h"

namespace penstock {

struct Choice {
  bool planned = false;
  std::string why;  // for Explain()
};

// Fills in the lengths of Bucket where it leaves them to the data.
// Errors:  kInvalidArgument where not every index has lengths.
Status ChooseBuckets(const Sources& sources, TaskQueue& tasks, Stages& stages);

Choice Choose(const Stages& stages, const Sources& sources,
              bool force_streamed);

}  // namespace penstock
