// Which hosts there are, and how they find each other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/group.h"
#include "tools/arguments/command.h"

namespace penstock {

enum class Joining { kAuto, kThreads, kGrpc, kMpi };

struct HostArguments {
  std::optional<uint32_t> hosts;
  std::optional<uint32_t> host;
  std::string coordinator;
  Joining joining = Joining::kAuto;
  double join_s = 300;
  double silence_s = 100;
  bool explain = false;

  // This must outlive `command`.
  void AddTo(Command& command);

  // What this process is, and why, for people.
  StatusOr<std::string> Explain() const;
  // This process' ends of four groups, for batches, steps, the check of
  // replicas and checkpoints; none where all hosts are threads of this process.
  StatusOr<std::vector<std::unique_ptr<Group>>> Join(
      std::stop_token stop) const;
};

// Tells all hosts why this one cannot go on, unless they ended it; what all of
// them end with.
Status FailAll(const std::vector<std::unique_ptr<Group>>& ends,
               const Status& why);

}  // namespace penstock
