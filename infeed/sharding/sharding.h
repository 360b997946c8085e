// How a tensor's dimensions are cut over devices, as GSPMD cuts them.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/sharding/mesh.h"
#include "infeed/sharding/partition_spec.h"

namespace penstock {

// Half-open. Empty where a shard has nothing.
struct IndexRange {
  int64_t begin = 0;
  int64_t end = 0;

  int64_t size() const { return end - begin; }
  bool operator==(const IndexRange&) const = default;
};

enum class ShardingKind {
  kReplicated,  // every device holds all of it
  kTiled,       // every device holds a tile; some may hold the same one
  kOneDevice,   // one device holds all, the others nothing: a pipeline's stage
  kManual,      // the program cuts: every device is handed all of it
};

// Devices that are handed the same tile.
struct Subgroup {
  enum class Kind { kReplicated, kManual } kind = Kind::kReplicated;
  int64_t size = 1;

  bool operator==(const Subgroup&) const = default;
};

// The grid of tiles that HLO writes behind "devices=".
struct TileGrid {
  std::vector<int64_t> tiles;       // of each dimension of the tensor
  std::vector<Subgroup> subgroups;  // dimensions behind those
  std::vector<uint32_t> devices;    // row-major over tiles, then subgroups

  bool operator==(const TileGrid&) const = default;
};

// Which device holds what of a tensor. An immutable value.
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
  static StatusOr<Sharding> Create(const Mesh& mesh, const PartitionSpec& spec);
  // Errors:  kInvalidArgument for a size below 1 and for devices that are not
  //          0 .. n-1 once each.
  static StatusOr<Sharding> Tiled(TileGrid grid);
  static Sharding Replicated(uint32_t devices);
  static Sharding Manual(uint32_t devices);
  // Errors:  kInvalidArgument for a device that is not one of them.
  static StatusOr<Sharding> OneDevice(uint32_t device, uint32_t devices);

  ShardingKind kind() const { return kind_; }
  // Of the run, with those that hold nothing.
  uint32_t devices() const { return devices_; }
  // Tiles of each dimension; those behind are whole.
  const std::vector<int64_t>& tiles() const { return grid_.tiles; }
  // Devices that hold the same tile.
  int64_t replicas() const { return replicas_; }
  const TileGrid& grid() const { return grid_; }

  bool Holds(uint32_t device) const;
  // The place of a device's tile along each dimension.
  std::vector<int64_t> TileOf(uint32_t device) const;
  // Rank of `device` among those with its tile, in mesh order: 0 is the one
  // whose copy counts.
  int64_t ReplicaOf(uint32_t device) const;
  // The devices of each tile, in row-major order of tiles, replica 0 first.
  std::vector<std::vector<uint32_t>> ReplicaGroups() const;

  // What `device` holds of a tensor of at least as many dimensions as tiles().
  std::vector<IndexRange> RangesOf(uint32_t device,
                                   const std::vector<int64_t>& shape) const;
  // The shape of a whole shard, padding included.
  std::vector<int64_t> ShardShape(const std::vector<int64_t>& shape) const;
  // The tensor's shape with the padding of its last shards.
  std::vector<int64_t> PaddedShape(const std::vector<int64_t>& shape) const;
  bool SplitsEvenly(const std::vector<int64_t>& shape) const;

  bool operator==(const Sharding&) const = default;

 private:
  Sharding(ShardingKind kind, uint32_t devices, TileGrid grid);

  // Tiles along dimension d.
  int64_t TilesOf(size_t d) const;

  ShardingKind kind_;
  uint32_t devices_;
  TileGrid grid_;
  int64_t replicas_ = 1;
  std::vector<uint32_t> place_of_device_;  // in grid_.devices
};

}  // namespace penstock
