// A group whose hosts are processes that reach each other over the network.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/group.h"

namespace penstock {

// How long hosts wait for each other.
//
// Source:  JAX's distributed runtime waits 300 s for hosts to come and 100 s
//          for a sign of life.
struct HostTimes {
  // Until all hosts have come.
  int64_t join_ns = 300'000'000'000;
  // A host that gives no sign of life for so long is dead. Signs are given
  // four times as often, whatever the host is at; a host that is swapped out or
  // stopped for longer ends the run.
  int64_t silence_ns = 100'000'000'000;
  // Who goes waits so long, at most, for others to hear of it.
  int64_t leave_ns = 5'000'000'000;
};

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
