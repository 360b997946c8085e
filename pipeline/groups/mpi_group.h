// A group whose hosts are the processes of an MPI job.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/group.h"

namespace penstock {

struct MpiGroupOptions {
  // Groups to make of the same hosts; calls of each are in an order of their
  // own.
  uint8_t channels = 1;
  // All hosts must run the same.
  std::string version = {};  // empty is this library's
};

// One end for each channel: host h is rank h of MPI_COMM_WORLD. Every process
// of the job calls this, and as often. What hosts send each other goes straight
// from one to the other, over whatever fabric MPI has.
//
// Initialises MPI where nobody has, and then finalises it when the program
// ends; a program that does so itself asks for MPI_THREAD_MULTIPLE.
//
// Limits:  a host that dies ends the job, and with it all hosts, by the
//          launcher's word and not by ours; one that is stopped is not
//          noticed. Destroying an end waits until all hosts do, or call
//          something. In a round 2 GiB divided by the hosts go from one host to
//          another.
// Threads: one of its own, which looks for messages 1,000 times a second when
//          nothing else is to be done.
// Errors:  kUnimplemented where Penstock was built without MPI;
//          kFailedPrecondition where hosts run other versions, or MPI allows
//          no threads.
StatusOr<std::vector<std::unique_ptr<Group>>> JoinByMpi(
    MpiGroupOptions options = {});

// Whether this build has it.
bool HasMpi();

}  // namespace penstock
