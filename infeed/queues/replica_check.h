// Hosts that feed the same rows hold what they feed against each other's.
#pragma once

#include <cstdint>
#include <memory>

#include "infeed/queues/batch_source.h"

namespace penstock {

class Group;  // pipeline/group.h

struct ReplicaCheckOptions {
  uint64_t every = 0;  // steps, counted from the first of the run; 0 is never
  // Of all hosts, for this alone. Borrowed.
  Group* group = nullptr;
};

// The batches of `source`, of which each `every`-th is given only once all
// hosts have theirs and those that feed the same shards agree on every byte and
// record id. Where no two hosts share a shard it is `source` itself.
//
// Where digests differ, hosts tell each other digests of that step's rows and
// all end with the same kDataLoss, which names hosts, feature, first row and
// its record. Where some have no more data and others have, all end with
// kInternal. A host that fails or is cancelled ends the wait of the others.
//
// Errors:  also kInvalidArgument without a group of all hosts.
// Cost:    each `every`-th step: shared bytes read once at about 10 GB/s, and a
//          round of the group, ahead of use by the depth of the queues.
std::unique_ptr<BatchSource> CheckReplicas(std::unique_ptr<BatchSource> source,
                                           ReplicaCheckOptions options);

}  // namespace penstock
