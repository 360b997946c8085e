// What a streamed run keeps in memory at most.
#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/arrange/arranger.h"
#include "pipeline/read/rounds.h"
#include "pipeline/run/job.h"
#include "pipeline/run/placement.h"
#include "pipeline/run/streamed.h"

namespace penstock {

struct StreamedRun {
  uint64_t threads = 1;
  bool has_group = false;     // rows travel between hosts
  bool places_early = false;  // into batches that are not whole
};

std::vector<ByteBudget> StreamedBudgets(const Job& job,
                                        const RoundSource& source,
                                        const Arranger& arranger,
                                        const StreamedOptions& options,
                                        const StreamedRun& run);

}  // namespace penstock
