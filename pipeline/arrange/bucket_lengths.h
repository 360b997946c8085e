// Lengths of buckets chosen for the lengths that rows have.
#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/order/lengths.h"
#include "pipeline/tasks/task_queue.h"

namespace penstock {

struct BucketChoice {
  uint64_t shapes = 8;       // at most
  uint64_t multiple_of = 1;  // of each length
};

// Those with which all rows together need the least padding; rising, the last
// is no less than the longest row. Fewer than `shapes` where more would not
// help. Empty where all rows are.
//
// Cost:    a pass over the lengths by all of `tasks`' threads, and about
//          30 ns x shapes for each length that occurs.
// Source:  dynamic programming by divide and conquer, as the best place for the
//          last boundary rises with the rows.
std::vector<int64_t> ChooseBucketLengths(const LengthTable& lengths,
                                         BucketChoice choice, TaskQueue& tasks);

}  // namespace penstock
