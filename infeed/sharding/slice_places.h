// Which rows of a host's batch each of its devices takes.
#pragma once

#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/sharding/core_slice.h"
#include "infeed/sharding/device_hosts.h"
#include "infeed/sharding/mesh.h"
#include "infeed/sharding/partition_spec.h"
#include "pipeline/contract.h"
#include "pipeline/topology.h"

namespace penstock {

// Of the topology's host, by rising device. `axes` as InfeedOptions::axis.
// Errors:  kInvalidArgument where the mesh gives the host other shards than the
//          topology; those of PlaceBatch() and CutSlices().
StatusOr<std::vector<SlicePlace>> PlaceSlices(
    const Mesh& mesh, const Contract& contract, const Topology& topology,
    std::string_view axes, const DeviceHosts& hosts,
    const std::vector<TensorSharding>& shardings);

}  // namespace penstock
