// How a tensor's dimensions are cut over a mesh, as GSPMD cuts them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/sharding/mesh.h"

namespace penstock {

// For each dimension of a tensor the mesh axes that cut it, major first; none
// leaves it whole. {{"x", "y"}, {}} cuts rows over both axes.
using PartitionSpec = std::vector<std::vector<std::string>>;

// Half-open. Empty where a shard has nothing.
struct IndexRange {
  int64_t begin = 0;
  int64_t end = 0;

  int64_t size() const { return end - begin; }
  bool operator==(const IndexRange&) const = default;
};

// A partition spec on a mesh. An immutable value.
//
// A dimension of size n that is cut into k tiles has shards of ceil(n / k);
// the last ones may be shorter or empty. XLA computes so; JAX refuses such
// shapes, see SplitsEvenly().
//
// Source:  XLA's OpSharding (xla_data.proto) and JAX's NamedSharding.
class Sharding {
 public:
  // Errors:  kInvalidArgument for an axis that the mesh lacks or that is used
  //          twice.
  static StatusOr<Sharding> Create(Mesh mesh, PartitionSpec spec);

  // Tiles of each dimension.
  const std::vector<int64_t>& tiles() const { return tiles_; }
  // Devices that hold the same tile.
  int64_t replicas() const { return replicas_; }

  // The place of a device's tile along each dimension.
  std::vector<int64_t> TileOf(uint32_t device) const;
  // Rank of `device` among those with its tile, in mesh order: 0 is the one
  // whose copy counts.
  int64_t ReplicaOf(uint32_t device) const;
  // The devices of each tile, in row-major order of tiles, replica 0 first.
  std::vector<std::vector<uint32_t>> ReplicaGroups() const;

  // What `device` holds of a tensor; `shape` has as many dimensions as the
  // spec.
  std::vector<IndexRange> RangesOf(uint32_t device,
                                   const std::vector<int64_t>& shape) const;
  // The shape of a whole shard, padding included.
  std::vector<int64_t> ShardShape(const std::vector<int64_t>& shape) const;
  bool SplitsEvenly(const std::vector<int64_t>& shape) const;

  // As HLO prints it: "{devices=[4,1,2]0,1,2,3,4,5,6,7
  // last_tile_dim_replicate}" on one line, or "{replicated}".
  std::string HloText() const;

 private:
  Sharding(Mesh mesh, std::vector<std::vector<size_t>> axes_of_dimension);

  Mesh mesh_;
  std::vector<std::vector<size_t>> axes_of_dimension_;
  std::vector<size_t> unused_axes_;
  std::vector<int64_t> tiles_;
  int64_t replicas_ = 1;
};

}  // namespace penstock
