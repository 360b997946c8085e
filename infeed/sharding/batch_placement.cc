#include "infeed/sharding/batch_placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "formats/files/status_or.h"
#include "infeed/sharding/device_hosts.h"
#include "infeed/sharding/sharding.h"
#include "infeed/sharding/sharding_text.h"

namespace penstock {
namespace {

// Rows alone, cut over all of `axes` together.
StatusOr<Sharding> RowSharding(const Mesh& mesh, std::string_view axes) {
  PENSTOCK_ASSIGN_OR_RETURN(const PartitionSpec spec, ParsePartitionSpec(axes));
  std::vector<std::string> all;
  for (const std::vector<std::string>& names : spec) {
    all.insert(all.end(), names.begin(), names.end());
  }
  return Sharding::Create(mesh, {all});
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
  topology.shards = shards;
  topology.hosts = hosts;
  topology.host = host;
  topology.shards_of_host.resize(hosts);
  for (uint32_t device = 0; device < host_of_device.size(); ++device) {
    topology.shards_of_host[host_of_device[device]].push_back(
        shard_of_device[device]);
  }
  for (std::vector<uint32_t>& fed : topology.shards_of_host) {
    std::ranges::sort(fed);
    fed.erase(std::ranges::unique(fed).begin(), fed.end());
  }
  return topology;
}

StatusOr<BatchPlacement> PlaceBatch(const Mesh& mesh, std::string_view axes,
                                    uint32_t hosts) {
  PENSTOCK_ASSIGN_OR_RETURN(const DeviceHosts blocks,
                            DeviceHosts::Blocks(mesh.size(), hosts));
  return PlaceBatch(mesh, axes, blocks);
}

StatusOr<BatchPlacement> PlaceBatch(const Mesh& mesh, std::string_view axes,
                                    const DeviceHosts& hosts) {
  if (hosts.devices() != mesh.size()) {
    return InvalidArgumentError(
        fmt::format("the mesh ({}) has {} devices, but hosts are given for {}",
                    mesh.Describe(), mesh.size(), hosts.devices()));
  }
  PENSTOCK_ASSIGN_OR_RETURN(const Sharding sharding, RowSharding(mesh, axes));
  BatchPlacement placement;
  placement.hosts = hosts.hosts();
  placement.host_of_device = hosts.host_of_device();
  placement.shards = static_cast<uint32_t>(sharding.tiles()[0]);
  placement.shard_of_device.resize(mesh.size());
  for (const std::vector<uint32_t>& copies : sharding.ReplicaGroups()) {
    const auto shard = static_cast<uint32_t>(placement.device_of_shard.size());
    placement.device_of_shard.push_back(copies.front());
    for (const uint32_t device : copies) {
      placement.shard_of_device[device] = shard;
    }
  }
  return placement;
}

StatusOr<Topology> BatchTopology(const Mesh& mesh, std::string_view axes,
                                 uint32_t hosts, uint32_t host) {
  PENSTOCK_ASSIGN_OR_RETURN(const DeviceHosts blocks,
                            DeviceHosts::Blocks(mesh.size(), hosts));
  return BatchTopology(mesh, axes, blocks, host);
}

StatusOr<Topology> BatchTopology(const Mesh& mesh, std::string_view axes,
                                 const DeviceHosts& hosts, uint32_t host) {
  PENSTOCK_ASSIGN_OR_RETURN(const BatchPlacement placement,
                            PlaceBatch(mesh, axes, hosts));
  if (host >= hosts.hosts()) {
    return InvalidArgumentError(fmt::format(
        "host {} of {}: hosts are counted from 0", host, hosts.hosts()));
  }
  return placement.TopologyOf(host);
}

}  // namespace penstock
