// What of each tensor of its host's batch a device takes, where tensors have
// shardings of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/sharding/mesh.h"
#include "infeed/sharding/partition_spec.h"
#include "infeed/sharding/sharding.h"
#include "pipeline/contract.h"
#include "pipeline/topology.h"

namespace penstock {

struct TensorCut {
  std::vector<IndexRange> block;  // of the host's batch, rows first
  std::vector<int64_t> shard;     // shape of the whole shard, padding included
};

struct SliceCuts {
  std::vector<std::vector<TensorCut>> of_shape;  // [shapes][tensors]
  std::vector<uint64_t> size_bytes;              // [shapes]: of whole shards
};

// Of each of `devices`, which are those of the topology's host. `topology` is
// that of PlaceBatch() with the same shardings.
//
// Errors:  those of CompleteBatch(); kInvalidArgument where rows do not divide
//          and tensors cut them differently.
StatusOr<std::vector<std::shared_ptr<const SliceCuts>>> CutSlices(
    const Mesh& mesh, const Contract& contract, const Topology& topology,
    std::string_view axes, const std::vector<TensorSharding>& shardings,
    const std::vector<uint32_t>& devices);

}  // namespace penstock
