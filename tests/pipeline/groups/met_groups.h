// Groups of processes, as far as they can be had within one.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/group.h"
#include "pipeline/groups/joined_group.h"

namespace penstock::testing {

using Ends = std::vector<std::unique_ptr<Group>>;

// Joins every host on a thread of its own; [hosts] what each got.
std::vector<StatusOr<Ends>> JoinAll(
    uint32_t hosts, const std::function<StatusOr<Ends>(uint32_t)>& join);
// The first end of each; fails where one has none.
Ends FirstEnds(std::vector<StatusOr<Ends>> joined);

// What a host's frames go through. Nothing passes once it is silent, as with a
// process that is stopped; one that then goes, died.
struct Cable {
  std::atomic<bool> silent = false;
};

struct MetOptions {
  uint32_t hosts = 2;
  HostTimes times = {};
  // Makes a host differ.
  std::function<void(JoinOptions&)> change = {};
};

// Hosts that met: [hosts] their ends, and their cables.
struct MetHosts {
  std::vector<StatusOr<Ends>> ends;
  std::vector<std::shared_ptr<Cable>> cables;
};
MetHosts MeetAll(const MetOptions& options);

// One end of each.
Ends MetGroup(uint32_t hosts);

}  // namespace penstock::testing
