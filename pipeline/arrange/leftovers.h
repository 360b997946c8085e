// Batches at the end of an epoch that are not full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "pipeline/arrange/arranger.h"

namespace penstock {

// [queues]: in whose batch the rows[q] rows end that are left of queue q, fewer
// than a batch: its own, or that of the first of `queues` behind it, which
// rise, that has rows and room for all of these, those that joined before
// included.
//
// Cost:  the square of the queues.
inline std::vector<size_t> MergeLeftovers(std::vector<uint64_t> rows,
                                          std::span<const size_t> queues,
                                          const ArrangeOptions& options) {
  std::vector<size_t> into(rows.size());
  std::iota(into.begin(), into.end(), size_t{0});
  if (!options.merge_leftovers) return into;
  for (size_t i = 0; i < queues.size(); ++i) {
    const size_t from = queues[i];
    if (rows[from] == 0) continue;
    for (const size_t to : queues.subspan(i + 1)) {
      if (rows[to] == 0 || rows[to] + rows[from] > options.RowsOf(to)) continue;
      rows[to] += rows[from];
      rows[from] = 0;
      into[from] = to;
      break;
    }
  }
  // What joined a queue goes on with it where that joins another.
  for (size_t i = queues.size(); i-- > 0;) {
    into[queues[i]] = into[into[queues[i]]];
  }
  return into;
}

}  // namespace penstock
