// From a folder of checkpoints back to the middle of a run.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/checkpoints.h"
#include "infeed/training/checkpoint_folder.h"
#include "pipeline/batch.h"
#include "pipeline/group.h"
#include "pipeline/topology.h"

namespace penstock {

// The last checkpoint, as host 0 reads it; nullopt where there is none. Makes
// the folder. All hosts of the group call it.
// Errors:  those of host 0, on all hosts; kInvalidArgument where hosts want
//          other checkpoints.
StatusOr<std::optional<Checkpoint>> FindCheckpoint(
    CheckpointFolder folder, const CheckpointOptions& options, Group& group);

// What makes a host's batches: a pipeline, or an infeed.
struct Resumable {
  const Topology& topology;
  std::vector<StatePart> graph;
  std::function<Status(const State&)> restore;
  std::function<StatusOr<std::optional<Batch>>()> next;
};

// Restores it and, where the checkpoint has the state before, makes the last
// batch again, which must have the same records; not where the graph has
// changed since, which CompileOptions::changed allows. All hosts of the group
// call it. Errors:  the first of any host, on all hosts; kFailedPrecondition
// with the
//          step for other records.
Status GoOnFrom(const Checkpoint& checkpoint, const Resumable& source,
                Group& group);

}  // namespace penstock
