// Which host feeds which part of a batch.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/files/status.h"

namespace penstock {

// A batch is cut into `shards` slices of as many rows, one for each device that
// takes different rows (where they do not divide, rows that pad come after the
// last: 103 rows on 8 shards are 13 each); each slice is made by the hosts
// whose devices take it. Which rows a batch has, and in which order, does not
// depend on any of this.
struct Topology {
  uint32_t shards = 1;
  uint32_t hosts = 1;
  uint32_t host = 0;  // this one
  // [hosts]: the shards of each host, rising, where they are not simply dealt
  // out. Every shard is some host's; devices of several hosts may take the same
  // one. Empty for blocks as even as possible, larger ones first: 8 shards on 3
  // hosts are 3, 3 and 2.
  std::vector<std::vector<uint32_t>> shards_of_host = {};

  // Of each shard of a batch of `rows`, those that pad included.
  uint64_t RowsOfShard(uint64_t rows) const {
    return (rows + shards - 1) / shards;
  }
  // Shards of `of_host`, rising. May be none only with shards_of_host given.
  std::vector<uint32_t> ShardsOf(uint32_t of_host) const;

  // Errors:  kInvalidArgument for no shards or hosts, host >= hosts, more hosts
  //          than shards without shards_of_host, shards_of_host of another
  //          number of hosts, that do not rise, that are not there, or that
  //          leave a shard to nobody.
  Status Validate() const;
};

}  // namespace penstock
