// A group whose hosts are processes that reach each other over the network.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/group.h"
#include "pipeline/groups/host_times.h"

namespace penstock {

struct GrpcGroupOptions {
  // Where host 0 listens and the others find it: "node0:55527", "[::1]:55527",
  // "unix:/tmp/run". Nothing is encrypted and nobody is asked who they are: the
  // network must be one's own. A loopback address is listened on alone, others
  // on all interfaces.
  std::string coordinator;
  uint32_t hosts = 1;
  uint32_t host = 0;  // this process
  // Groups to make of the same hosts; calls of each are in an order of their
  // own.
  uint8_t channels = 1;
  HostTimes times = {};
  // Ends the wait for other hosts to come.
  std::stop_token stop = {};
  // All hosts must run the same.
  std::string version = {};  // empty is this library's
};

// One end for each channel, once all hosts have come; in any order. Host 0
// coordinates: what hosts send each other passes through it. Whatever ends the
// run, all hosts get the same cause: a host fails, leaves while others still
// need it, dies (its connection ends), is stopped or lost (no sign of life),
// never comes, has another version, or comes twice.
//
// Threads: two or three of gRPC's and one of ours a process.
// Cost:    a round takes two messages a host; 0.5 to 1 ms on a busy machine.
// Errors:  kUnimplemented where Penstock was built without gRPC;
//          kUnavailable where host 0 cannot listen, or does not answer; the
//          group's cause.
StatusOr<std::vector<std::unique_ptr<Group>>> JoinByGrpc(
    GrpcGroupOptions options);

// Whether this build has it.
bool HasGrpc();

}  // namespace penstock
