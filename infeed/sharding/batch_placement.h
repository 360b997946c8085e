// Which device and which host takes which rows of a batch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/sharding/mesh.h"
#include "infeed/sharding/partition_spec.h"
#include "pipeline/topology.h"

namespace penstock {

class DeviceHosts;  // infeed/sharding/device_hosts.h

// A batch whose rows are cut over axes of a mesh. Devices along the others hold
// copies of the same rows.
struct BatchPlacement {
  uint32_t shards = 1;
  // The topology's for each of these: more than one where some tensor's rows
  // are cut otherwise, so that any cut falls between them.
  uint32_t parts = 1;
  uint32_t hosts = 1;
  std::vector<uint32_t> shard_of_device;  // [devices]
  std::vector<uint32_t> host_of_device;   // [devices], blocks of device ids
  // The device of each shard whose copy counts: its first in mesh order.
  std::vector<uint32_t> device_of_shard;  // [shards]
  // What the devices of each host take of any tensor, in the topology's shards,
  // rising.
  std::vector<std::vector<uint32_t>> shards_of_host;

  // Devices of `host`, rising. Empty where there are more hosts than devices.
  std::vector<uint32_t> DevicesOf(uint32_t host) const;
  // What Compile() of that host's pipeline needs.
  Topology TopologyOf(uint32_t host) const;
};

// The axes of a text like "data", "data,fsdp" or "None".
StatusOr<std::vector<std::string>> RowAxes(std::string_view text);

// `axes` are those that cut rows, major first: "data" or "data,fsdp"; "None"
// for none. Devices belong to hosts in blocks (DeviceHosts::Blocks()). Devices
// of several hosts may hold the same rows; each of these hosts makes them.
//
// Errors:  kInvalidArgument for an axis that the mesh lacks, for no hosts, for
//          hosts of another number of devices.
StatusOr<BatchPlacement> PlaceBatch(const Mesh& mesh,
                                    std::string_view axes = "data",
                                    uint32_t hosts = 1);
// The same where hosts have other devices than blocks, or where some tensors
// have shardings of their own.
StatusOr<BatchPlacement> PlaceBatch(
    const Mesh& mesh, std::string_view axes, const DeviceHosts& hosts,
    const std::vector<TensorSharding>& shardings = {});

// The topology of PlaceBatch() for one host.
StatusOr<Topology> BatchTopology(const Mesh& mesh,
                                 std::string_view axes = "data",
                                 uint32_t hosts = 1, uint32_t host = 0);
StatusOr<Topology> BatchTopology(
    const Mesh& mesh, std::string_view axes, const DeviceHosts& hosts,
    uint32_t host, const std::vector<TensorSharding>& shardings = {});

}  // namespace penstock
