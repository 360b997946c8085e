// What hosts tell each other of the rows that several of them feed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/batch.h"
#include "pipeline/topology.h"

namespace penstock {

// The shards that more than one host has.
struct SharedShards {
  std::vector<uint32_t> all;                   // rising
  std::vector<std::vector<uint32_t>> of_host;  // [hosts]: some of them, rising

  static SharedShards Of(const Topology& topology);
  // Among those of the host; nullopt where it is none of them.
  std::optional<size_t> PlaceOf(uint32_t host, uint32_t shard) const;
};

// A step of one host, or that it has none any more.
struct ReplicaPart {
  bool at_end = false;
  uint64_t step = 0;
  uint64_t shape = 0;
  // [shared shards of the host][features]: the record ids, then each tensor.
  std::vector<std::vector<uint64_t>> digests = {};
};

struct RowDigest {
  uint64_t value = 0;
  uint64_t record = kNoRecord;  // the first
};

// A shard and a feature, number 0 the record ids.
struct SharedPart {
  uint32_t shard = 0;
  size_t feature = 0;
};

ReplicaPart DigestShared(const Batch& batch, const Topology& topology,
                         const SharedShards& shared);
// [parts of this host]: each of its rows.
std::vector<std::vector<RowDigest>> DigestSharedRows(
    const Batch& batch, const Topology& topology,
    const std::vector<SharedPart>& parts);

std::string TellPart(const ReplicaPart& part);
std::string TellRows(const std::vector<std::vector<RowDigest>>& rows);
// Errors:  kInternal for what these do not tell.
StatusOr<ReplicaPart> HearPart(std::string_view told, size_t shards,
                               size_t features);
StatusOr<std::vector<std::vector<RowDigest>>> HearRows(std::string_view told);

}  // namespace penstock
