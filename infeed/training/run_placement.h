// Where the batches of a training run go.
#pragma once

#include <memory>
#include <span>

#include "formats/files/status_or.h"
#include "infeed/queues/batch_source.h"
#include "infeed/sharding/batch_placement.h"
#include "infeed/sharding/mesh.h"
#include "infeed/training/training_run.h"

namespace penstock {

// `sources` are those of RunTraining().
// Errors:  kInvalidArgument where there are none, or they were made for other
//          hosts or with different contracts; those of PlaceBatch().
StatusOr<BatchPlacement> PlaceRun(
    std::span<const std::unique_ptr<BatchSource>> sources, const Mesh& mesh,
    const TrainingOptions& options);

}  // namespace penstock
