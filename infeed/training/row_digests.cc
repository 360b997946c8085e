#include "infeed/training/row_digests.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "formats/records/record_digest.h"

namespace penstock {
namespace {

// Odd and without a pattern: a record elsewhere is another number to the
// digest.
constexpr uint64_t kByRow = 0xd6e8feb86659fd93u;
constexpr uint64_t kByBegin = 0xa0761d6478bd642fu;

}  // namespace

std::vector<ShardDigest> DigestRows(const Batch& batch,
                                    const Topology& topology) {
  const std::vector<uint32_t> shards = topology.ShardsOf(topology.host);
  std::vector<ShardDigest> digests;
  const size_t rows = shards.empty() ? 0 : batch.rows() / shards.size();
  for (size_t s = 0; s < shards.size(); ++s) {
    RecordDigest digest;
    for (size_t r = 0; r < rows; ++r) {
      const size_t row = s * rows + r;
      const uint64_t place = (shards[s] * uint64_t{rows} + r) * kByRow;
      for (uint32_t i = batch.row_offsets[row]; i < batch.row_offsets[row + 1];
           ++i) {
        const uint64_t begin =
            batch.record_begins.empty() ? 0 : batch.record_begins[i];
        digest.Add(batch.record_ids[i] + place + begin * kByBegin);
      }
    }
    digests.push_back({shards[s], digest.value()});
  }
  return digests;
}

void AppendDigests(std::span<const ShardDigest> digests,
                   std::vector<uint64_t>& numbers) {
  for (const ShardDigest& digest : digests) {
    numbers.insert(numbers.end(), {digest.shard, digest.value});
  }
}

std::vector<ShardDigest> DigestsIn(std::span<const uint64_t> numbers) {
  std::vector<ShardDigest> digests;
  for (size_t i = 0; i + 1 < numbers.size(); i += 2) {
    digests.push_back({static_cast<uint32_t>(numbers[i]), numbers[i + 1]});
  }
  return digests;
}

StatusOr<uint64_t> MergeDigests(
    std::span<const std::vector<ShardDigest>> of_hosts) {
  struct Seen {
    uint64_t value;
    size_t host;
  };
  std::map<uint32_t, Seen> shards;
  uint64_t sum = 0;
  for (size_t host = 0; host < of_hosts.size(); ++host) {
    for (const ShardDigest& mine : of_hosts[host]) {
      const auto [place, added] =
          shards.try_emplace(mine.shard, Seen{mine.value, host});
      if (added) {
        sum += mine.value;
      } else if (place->second.value != mine.value) {
        return InternalError(fmt::format(
            "hosts {} and {} hold other records in shard {}, which both feed",
            place->second.host, host, mine.shard));
      }
    }
  }
  return sum;
}

}  // namespace penstock
