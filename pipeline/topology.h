// Which host feeds which part of a batch.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/files/status.h"

namespace penstock {

// A batch is cut into `shards` equal slices of rows, one for each device that
// takes different rows; each slice is made by one host. Shards, not hosts,
// decide which rows go together, so the same shards on another number of hosts
// give the same batches.
struct Topology {
  uint32_t shards = 1;
  uint32_t hosts = 1;
  uint32_t host = 0;  // this one
  // The host of each shard, where they are not simply dealt out in blocks.
  // [shards], or empty for blocks as even as possible, larger ones first:
  // 8 shards on 3 hosts are 3, 3 and 2.
  std::vector<uint32_t> host_of_shard = {};

  // Shards of `host`, rising. May be empty only with host_of_shard given.
  std::vector<uint32_t> ShardsOf(uint32_t of_host) const;

  // Errors:  kInvalidArgument for no shards or hosts, host >= hosts, more hosts
  //          than shards without host_of_shard, a host_of_shard of another
  //          size or naming a host that is not there.
  Status Validate() const;
};

}  // namespace penstock
