// The dataset that infeedsim's arguments ask for.
#pragma once

#include "formats/files/status_or.h"
#include "pipeline/dataset.h"
#include "tools/infeedsim/simulation_arguments.h"

namespace penstock {

// Errors:  those of reading tokenizers and manifests.
StatusOr<Dataset> MakeDataset(const SimulationArguments& arguments);

}  // namespace penstock
