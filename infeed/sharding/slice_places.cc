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
  const auto rows_of_shard = [&](int64_t rows) {
    return static_cast<int64_t>(
        topology.RowsOfShard(static_cast<uint64_t>(rows)));
  };
  const int64_t rows = rows_of_shard(contract.rows);
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
    if (contract.shape_rows.empty()) continue;
    std::vector<SliceRows> of_shape;
    for (const int64_t of_batch : contract.shape_rows) {
      const int64_t each = rows_of_shard(of_batch);
      of_shape.push_back({number * each, each * placement.parts});
    }
    places.back().of_shape =
        std::make_shared<const std::vector<SliceRows>>(std::move(of_shape));
  }
  return places;
}

}  // namespace penstock
