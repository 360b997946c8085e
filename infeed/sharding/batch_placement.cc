#include "infeed/sharding/batch_placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "formats/files/status_or.h"
#include "infeed/sharding/device_hosts.h"
#include "infeed/sharding/sharding.h"
#include "infeed/sharding/sharding_text.h"

namespace penstock {
namespace {

// Rows alone, cut over all of `axes` together.
StatusOr<Sharding> RowSharding(const Mesh& mesh, std::string_view axes) {
  PENSTOCK_ASSIGN_OR_RETURN(std::vector<std::string> all, RowAxes(axes));
  return Sharding::Create(mesh, {std::move(all)});
}

// The topology's shards: as many as make every cut of rows one of theirs, each
// given to the hosts whose devices take it.
void DealShards(const std::vector<Sharding>& cuts, const DeviceHosts& hosts,
                BatchPlacement& placement) {
  int64_t shards = 1;
  for (const Sharding& cut : cuts) shards = std::lcm(shards, cut.tiles()[0]);
  placement.parts = static_cast<uint32_t>(shards) / placement.shards;
  placement.shards_of_host.resize(hosts.hosts());
  for (uint32_t host = 0; host < hosts.hosts(); ++host) {
    std::vector<bool> taken(static_cast<size_t>(shards));
    for (const uint32_t device : hosts.DevicesOf(host)) {
      for (const Sharding& cut : cuts) {
        const IndexRange range = cut.RangesOf(device, {shards})[0];
        std::fill(taken.begin() + range.begin, taken.begin() + range.end, true);
      }
    }
    for (uint32_t shard = 0; shard < shards; ++shard) {
      if (taken[shard]) placement.shards_of_host[host].push_back(shard);
    }
  }
}

}  // namespace

std::vector<uint32_t> BatchPlacement::DevicesOf(uint32_t host) const {
  std::vector<uint32_t> devices;
  for (uint32_t device = 0; device < host_of_device.size(); ++device) {
    if (host_of_device[device] == host) devices.push_back(device);
  }
  return devices;
}

Topology BatchPlacement::TopologyOf(uint32_t host) const {
  Topology topology;
  topology.shards = shards * parts;
  topology.hosts = hosts;
  topology.host = host;
  topology.shards_of_host = shards_of_host;
  return topology;
}

StatusOr<std::vector<std::string>> RowAxes(std::string_view text) {
  PENSTOCK_ASSIGN_OR_RETURN(const PartitionSpec spec, ParsePartitionSpec(text));
  std::vector<std::string> all;
  for (const std::vector<std::string>& names : spec) {
    all.insert(all.end(), names.begin(), names.end());
  }
  return all;
}

StatusOr<BatchPlacement> PlaceBatch(const Mesh& mesh, std::string_view axes,
                                    uint32_t hosts) {
  PENSTOCK_ASSIGN_OR_RETURN(const DeviceHosts blocks,
                            DeviceHosts::Blocks(mesh.size(), hosts));
  return PlaceBatch(mesh, axes, blocks);
}

StatusOr<BatchPlacement> PlaceBatch(
    const Mesh& mesh, std::string_view axes, const DeviceHosts& hosts,
    const std::vector<TensorSharding>& shardings) {
  if (hosts.devices() != mesh.size()) {
    return InvalidArgumentError(
        fmt::format("the mesh ({}) has {} devices, but hosts are given for {}",
                    mesh.Describe(), mesh.size(), hosts.devices()));
  }
  PENSTOCK_ASSIGN_OR_RETURN(Sharding rows, RowSharding(mesh, axes));
  BatchPlacement placement;
  placement.hosts = hosts.hosts();
  placement.host_of_device = hosts.host_of_device();
  placement.shards = static_cast<uint32_t>(rows.tiles()[0]);
  placement.shard_of_device.resize(mesh.size());
  for (const std::vector<uint32_t>& copies : rows.ReplicaGroups()) {
    const auto shard = static_cast<uint32_t>(placement.device_of_shard.size());
    placement.device_of_shard.push_back(copies.front());
    for (const uint32_t device : copies) {
      placement.shard_of_device[device] = shard;
    }
  }
  std::vector<Sharding> cuts = {std::move(rows)};
  for (const TensorSharding& tensor : shardings) {
    PENSTOCK_RETURN_IF_ERROR(Sharding::Create(mesh, tensor.spec).status());
    PartitionSpec spec = tensor.spec;
    spec.resize(1);
    PENSTOCK_ASSIGN_OR_RETURN(Sharding cut, Sharding::Create(mesh, spec));
    cuts.push_back(std::move(cut));
  }
  DealShards(cuts, hosts, placement);
  return placement;
}

StatusOr<Topology> BatchTopology(const Mesh& mesh, std::string_view axes,
                                 uint32_t hosts, uint32_t host) {
  PENSTOCK_ASSIGN_OR_RETURN(const DeviceHosts blocks,
                            DeviceHosts::Blocks(mesh.size(), hosts));
  return BatchTopology(mesh, axes, blocks, host);
}

StatusOr<Topology> BatchTopology(const Mesh& mesh, std::string_view axes,
                                 const DeviceHosts& hosts, uint32_t host,
                                 const std::vector<TensorSharding>& shardings) {
  PENSTOCK_ASSIGN_OR_RETURN(const BatchPlacement placement,
                            PlaceBatch(mesh, axes, hosts, shardings));
  if (host >= hosts.hosts()) {
    return InvalidArgumentError(fmt::format(
        "host {} of {}: hosts are counted from 0", host, hosts.hosts()));
  }
  return placement.TopologyOf(host);
}

}  // namespace penstock
