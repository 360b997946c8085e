// The planned placement: assignments come from arithmetic, and each batch reads
// its own rows by number.
#pragma once

#include <memory>

#include "formats/index/record_files.h"
#include "pipeline/arrange/plan.h"
#include "pipeline/build/placement.h"
#include "pipeline/run/job.h"

namespace penstock {

// `threads` is how many batches are read at once, at most.
std::unique_ptr<Placement> MakePlanned(std::shared_ptr<const Job> job,
                                       std::shared_ptr<const RecordFiles> files,
                                       PlanOptions plan, int threads);

}  // namespace penstock
