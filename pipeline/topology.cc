#include "pipeline/topology.h"

#include <fmt/format.h>

namespace penstock {

std::vector<uint32_t> Topology::ShardsOf(uint32_t of_host) const {
  std::vector<uint32_t> mine;
  if (!host_of_shard.empty()) {
    for (uint32_t shard = 0; shard < host_of_shard.size(); ++shard) {
      if (host_of_shard[shard] == of_host) mine.push_back(shard);
    }
    return mine;
  }
  const uint32_t each = shards / hosts;
  const uint32_t larger = shards % hosts;  // hosts that have one more
  const uint32_t begin = of_host * each + (of_host < larger ? of_host : larger);
  const uint32_t count = each + (of_host < larger ? 1 : 0);
  for (uint32_t shard = begin; shard < begin + count; ++shard) {
    mine.push_back(shard);
  }
  return mine;
}

Status Topology::Validate() const {
  if (shards == 0 || hosts == 0) {
    return InvalidArgumentError(
        fmt::format("a topology needs at least one shard and one host; it has "
                    "{} shards and {} hosts",
                    shards, hosts));
  }
  if (host >= hosts) {
    return InvalidArgumentError(fmt::format(
        "host {} is not one of the {} hosts, which count from 0", host, hosts));
  }
  if (host_of_shard.empty()) {
    if (hosts > shards) {
      return InvalidArgumentError(fmt::format(
          "{} hosts but only {} shards: some hosts would feed no device; use "
          "more shards or say which host has which in host_of_shard",
          hosts, shards));
    }
    return OkStatus();
  }
  if (host_of_shard.size() != shards) {
    return InvalidArgumentError(
        fmt::format("host_of_shard names the hosts of {} shards, not of {}",
                    host_of_shard.size(), shards));
  }
  for (uint32_t shard = 0; shard < shards; ++shard) {
    if (host_of_shard[shard] >= hosts) {
      return InvalidArgumentError(
          fmt::format("host_of_shard gives shard {} to host {}, but there are "
                      "{} hosts, which count from 0",
                      shard, host_of_shard[shard], hosts));
    }
  }
  return OkStatus();
}

}  // namespace penstock
