// A host's ends of groups whose hosts are processes, over a link to host 0.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/group.h"
#include "pipeline/groups/grpc_group.h"
#include "pipeline/groups/link.h"

namespace penstock {

struct JoinOptions {
  uint32_t hosts = 1;
  uint32_t host = 0;
  uint8_t channels = 1;
  std::string version = {};
  std::string who = {};          // this process, for messages
  std::string coordinator = {};  // where it is, for messages
  HostTimes times = {};
  std::stop_token stop = {};  // ends the wait for others to come
};

// One end for each channel, once all hosts have come. A death of any host ends
// all of them with the same cause; what a host fails or leaves one for ends
// that one.
//
// The link is destroyed with the last end.
// Errors:  those of `connect`; the group's cause; kUnavailable where the
//          coordinator does not answer in time.
StatusOr<std::vector<std::unique_ptr<Group>>> JoinMeeting(
    const Connect& connect, JoinOptions options);

}  // namespace penstock
