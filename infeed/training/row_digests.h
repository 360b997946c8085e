// Which records a step was made of, as a number.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/batch.h"
#include "pipeline/topology.h"

namespace penstock {

// Of the rows that one shard of the topology has.
struct ShardDigest {
  uint32_t shard = 0;
  uint64_t value = 0;

  bool operator==(const ShardDigest&) const = default;
};

// For each shard of the host: which records are in which row of the global
// batch, and where they begin.
// Cost:    about 1 ns a record.
std::vector<ShardDigest> DigestRows(const Batch& batch,
                                    const Topology& topology);

// As numbers that one host tells another: two for each shard.
void AppendDigests(std::span<const ShardDigest> digests,
                   std::vector<uint64_t>& numbers);
std::vector<ShardDigest> DigestsIn(std::span<const uint64_t> numbers);

// Of the global batch, from those of each host: the same for any number of
// shards and hosts.
// Errors:  kInternal where hosts that feed the same shard differ.
StatusOr<uint64_t> MergeDigests(
    std::span<const std::vector<ShardDigest>> of_hosts);

}  // namespace penstock
