// The planned placement: assignments come from arithmetic, and each batch reads
// its own rows by number.
#pragma once

#include <memory>

#include "pipeline/arrange/plan_facts.h"
#include "pipeline/graph/source_records.h"
#include "pipeline/group.h"
#include "pipeline/run/job.h"
#include "pipeline/run/placement.h"

namespace penstock {

// Records must have the lengths that the plan goes by. `group` is borrowed, and
// null for one host; hosts of it that are threads of this process plan once for
// all. `threads` is how many tasks read at once, at most.
std::unique_ptr<Placement> MakePlanned(
    std::shared_ptr<const Job> job, std::shared_ptr<const SourceRecords> files,
    PlanFacts plan, Group* group, int threads);

}  // namespace penstock
