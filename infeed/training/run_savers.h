// Who saves the checkpoints of a simulated run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/checkpoints.h"
#include "infeed/sharding/batch_placement.h"
#include "infeed/training/checkpoint_saver.h"
#include "pipeline/group.h"
#include "pipeline/state.h"

namespace penstock {

// Where a simulated run saves its checkpoints.
struct SavingOptions {
  std::string folder = {};  // empty is nowhere
  // Its group is that of the processes, where hosts are processes.
  CheckpointOptions often = {};
  State begin = {};  // before the first step
};

// One saver for each host of this process that has devices.
class RunSavers {
 public:
  // This process has `count` hosts from `first` on; where it has all of them
  // they meet as threads.
  Status Start(const SavingOptions& options, const BatchPlacement& placement,
               uint32_t first, size_t count,
               const std::function<void(const Status&)>& on_failure);

  // Null where nothing is saved, or the host has no devices.
  CheckpointSaver* Of(uint32_t host) const;
  // Saves behind the last step.
  Status Finish();

 private:
  std::vector<uint32_t> hosts_;
  std::vector<std::unique_ptr<Group>> ends_;
  std::vector<std::unique_ptr<CheckpointSaver>> savers_;
};

}  // namespace penstock
