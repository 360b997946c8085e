// The checks of the options of Bucket, Pad and Pack, and of what goes with
// them.
#pragma once

#include <cstdint>

#include "formats/files/status.h"
#include "pipeline/graph/stages.h"

namespace penstock {

// Rows of a batch, at most: far more than fit any device, few enough to plan.
inline constexpr int64_t kMaxRows = int64_t{1} << 26;

// Of a graph with Pack.
// Errors:  kInvalidArgument saying what to change.
Status CheckPack(const Stages& stages);

// Sets BucketOptions::rows where batch_values says what they are.
// Errors:  kInvalidArgument saying what to change.
Status SetBucketRows(Stages& stages);

}  // namespace penstock
