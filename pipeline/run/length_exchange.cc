#include "pipeline/run/length_exchange.h"

#include <fmt/format.h>

#include <utility>

#include "formats/files/status_or.h"
#include "pipeline/order/seed.h"

namespace penstock {

StatusOr<std::vector<uint32_t>> ExchangeLengths(const Job& job,
                                                const Round& round,
                                                std::span<const uint32_t> mine,
                                                Agreement& agreement) {
  const Topology& topology = job.topology;
  // First a hash of which round this is: hosts that went on from different
  // states would otherwise mix lengths without noticing.
  const auto check = static_cast<uint32_t>(
      MixKeys({job.fingerprint, round.epoch, round.positions_read,
               round.positions.size()}));
  std::vector<uint32_t> message = {check};
  message.insert(message.end(), mine.begin(), mine.end());
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::vector<uint32_t>> all,
                            agreement.AllGather(message));
  const auto disagree = [](size_t host) {
    return FailedPreconditionError(fmt::format(
        "host {} reads another round of records: every host must compile the "
        "same dataset and restore the same state",
        host));
  };
  if (all.size() != topology.hosts) {
    return FailedPreconditionError(
        fmt::format("the agreement has {} hosts, the topology {}", all.size(),
                    topology.hosts));
  }
  for (size_t host = 0; host < all.size(); ++host) {
    if (all[host].empty() || all[host][0] != check) return disagree(host);
  }
  std::vector<uint32_t> host_of_shard(topology.shards);
  for (uint32_t host = 0; host < topology.hosts; ++host) {
    for (const uint32_t shard : topology.ShardsOf(host)) {
      host_of_shard[shard] = host;
    }
  }
  std::vector<size_t> used(topology.hosts, 1);
  std::vector<uint32_t> lengths;
  lengths.reserve(round.positions.size());
  for (const uint64_t position : round.positions) {
    const uint32_t host = host_of_shard[position % topology.shards];
    if (used[host] == all[host].size()) return disagree(host);
    lengths.push_back(all[host][used[host]++]);
  }
  return lengths;
}

}  // namespace penstock
