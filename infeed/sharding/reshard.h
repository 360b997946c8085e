// What has to move for a tensor to lie otherwise on the same devices.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/sharding/device_hosts.h"
#include "infeed/sharding/sharding.h"

namespace penstock {

// The collective that a plan is, or could be done by.
enum class Collective {
  kNothing,    // everyone keeps what it has
  kSlice,      // everyone cuts from what it has; no byte moves
  kAllGather,  // everyone keeps what it has and gets the parts of others
  kAllToAll,   // everyone gives parts away and gets parts of others
  kPermute,    // each device that lacks something takes one other's whole shard
  kScatter,    // one device has all: the others get their parts of it
  kGather,     // one device gets all
};

// `block` of the global tensor goes from one device to another.
struct Move {
  uint32_t from = 0;
  uint32_t to = 0;
  std::vector<IndexRange> block;
  uint64_t bytes = 0;

  bool operator==(const Move&) const = default;
};

struct ReshardPlan {
  Collective collective = Collective::kNothing;
  std::vector<Move> moves;           // by receiver, then by place in the tensor
  uint64_t moved_bytes = 0;          // sum of all moves
  uint64_t kept_bytes = 0;           // stay on their devices
  uint64_t most_sent_bytes = 0;      // by one device
  uint64_t most_received_bytes = 0;  // by one device
  uint64_t between_hosts_bytes = 0;  // of the moves, where hosts are known
};

// A pure function. What a device has it keeps; what it lacks comes from a
// device of its own host where one has it, else from the copies in turn.
//
// Errors:  kInvalidArgument for shardings of different numbers of devices, or
//          of more dimensions than the shape.
// Cost:    devices x tiles that meet.
StatusOr<ReshardPlan> Reshard(
    const Sharding& from, const Sharding& to, const std::vector<int64_t>& shape,
    uint64_t element_bytes,
    const std::optional<DeviceHosts>& hosts = std::nullopt);

std::string_view CollectiveName(Collective collective);  // "all-gather" ...

}  // namespace penstock
