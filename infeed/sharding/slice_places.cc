#include "infeed/sharding/slice_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "infeed/sharding/batch_placement.h"
#include "infeed/sharding/slice_cuts.h"

namespace penstock {

StatusOr<std::vector<SlicePlace>> PlaceSlices(
    const Mesh& mesh, const Contract& contract, const Topology& topology,
    std::string_view axes, const DeviceHosts& hosts,
    const std::vector<TensorSharding>& shardings) {
  PENSTOCK_ASSIGN_OR_RETURN(const BatchPlacement placement,
                            PlaceBatch(mesh, axes, hosts, shardings));
  const Topology placed = placement.TopologyOf(topology.host);
  const std::vector<uint32_t> shards = topology.ShardsOf(topology.host);
  if (placed.shards != topology.shards ||
      placed.ShardsOf(topology.host) != shards) {
    return InvalidArgumentError(fmt::format(
        "the pipeline was compiled for {} shards, {} of them on host {} of {}, "
        "but axis \"{}\" of the mesh ({}) gives that host other ones; compile "
        "it with BatchTopology(mesh, \"{}\", {}, {})",
        topology.shards, shards.size(), topology.host, topology.hosts, axes,
        mesh.Describe(), axes, topology.hosts, topology.host));
  }
  const std::vector<uint32_t> devices = placement.DevicesOf(topology.host);
  std::vector<std::shared_ptr<const SliceCuts>> cuts(devices.size());
  if (!shardings.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(
        cuts, CutSlices(mesh, contract, topology, axes, shardings, devices));
  }
  const auto rows = static_cast<int64_t>(
      topology.RowsOfShard(static_cast<uint64_t>(contract.rows)));
  std::vector<SlicePlace> places;
  for (size_t i = 0; i < devices.size(); ++i) {
    const uint32_t shard = placement.shard_of_device[devices[i]];
    const auto number =
        std::ranges::find(shards, shard * placement.parts) - shards.begin();
    places.push_back({.device = devices[i],
                      .shard = shard,
                      .row_begin = number * rows,
                      .rows = rows * placement.parts,
                      .cuts = std::move(cuts[i])});
  }
  return places;
}

}  // namespace penstock
