#include "infeed/sharding/sharding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

int64_t CeilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

StatusOr<Sharding> Sharding::Create(Mesh mesh, PartitionSpec spec) {
  std::vector<std::vector<size_t>> axes_of_dimension;
  std::vector<bool> used(mesh.axes().size(), false);
  for (const std::vector<std::string>& names : spec) {
    std::vector<size_t>& axes = axes_of_dimension.emplace_back();
    for (const std::string& name : names) {
      const std::optional<size_t> axis = mesh.FindAxis(name);
      if (!axis) {
        return InvalidArgumentError(fmt::format(
            "the mesh ({}) has no axis \"{}\"", mesh.Describe(), name));
      }
      if (used[*axis]) {
        return InvalidArgumentError(fmt::format(
            "axis \"{}\" cuts two dimensions; each axis can cut one", name));
      }
      used[*axis] = true;
      axes.push_back(*axis);
    }
  }
  return Sharding(std::move(mesh), std::move(axes_of_dimension));
}

Sharding::Sharding(Mesh mesh,
                   std::vector<std::vector<size_t>> axes_of_dimension)
    : mesh_(std::move(mesh)), axes_of_dimension_(std::move(axes_of_dimension)) {
  std::vector<bool> used(mesh_.axes().size(), false);
  for (const std::vector<size_t>& axes : axes_of_dimension_) {
    int64_t tiles = 1;
    for (const size_t axis : axes) {
      tiles *= mesh_.axes()[axis].size;
      used[axis] = true;
    }
    tiles_.push_back(tiles);
  }
  for (size_t axis = 0; axis < used.size(); ++axis) {
    if (used[axis]) continue;
    unused_axes_.push_back(axis);
    replicas_ *= mesh_.axes()[axis].size;
  }
}

std::vector<int64_t> Sharding::TileOf(uint32_t device) const {
  const std::vector<int64_t> coordinates = mesh_.CoordinatesOf(device);
  std::vector<int64_t> tile;
  for (const std::vector<size_t>& axes : axes_of_dimension_) {
    int64_t place = 0;
    for (const size_t axis : axes) {
      place = place * mesh_.axes()[axis].size + coordinates[axis];
    }
    tile.push_back(place);
  }
  return tile;
}

int64_t Sharding::ReplicaOf(uint32_t device) const {
  const std::vector<int64_t> coordinates = mesh_.CoordinatesOf(device);
  int64_t replica = 0;
  for (const size_t axis : unused_axes_) {
    replica = replica * mesh_.axes()[axis].size + coordinates[axis];
  }
  return replica;
}

std::vector<std::vector<uint32_t>> Sharding::ReplicaGroups() const {
  const size_t groups = mesh_.size() / static_cast<size_t>(replicas_);
  std::vector<std::vector<uint32_t>> devices(
      groups, std::vector<uint32_t>(static_cast<size_t>(replicas_)));
  for (uint32_t device = 0; device < mesh_.size(); ++device) {
    const std::vector<int64_t> tile = TileOf(device);
    size_t group = 0;
    for (size_t d = 0; d < tile.size(); ++d) {
      group =
          group * static_cast<size_t>(tiles_[d]) + static_cast<size_t>(tile[d]);
    }
    devices[group][static_cast<size_t>(ReplicaOf(device))] = device;
  }
  return devices;
}

std::vector<IndexRange> Sharding::RangesOf(
    uint32_t device, const std::vector<int64_t>& shape) const {
  assert(shape.size() == tiles_.size());
  const std::vector<int64_t> tile = TileOf(device);
  const std::vector<int64_t> shard = ShardShape(shape);
  std::vector<IndexRange> ranges;
  for (size_t d = 0; d < shape.size(); ++d) {
    ranges.push_back({std::min(tile[d] * shard[d], shape[d]),
                      std::min((tile[d] + 1) * shard[d], shape[d])});
  }
  return ranges;
}

std::vector<int64_t> Sharding::ShardShape(
    const std::vector<int64_t>& shape) const {
  assert(shape.size() == tiles_.size());
  std::vector<int64_t> shard;
  for (size_t d = 0; d < shape.size(); ++d) {
    shard.push_back(CeilDivide(shape[d], tiles_[d]));
  }
  return shard;
}

bool Sharding::SplitsEvenly(const std::vector<int64_t>& shape) const {
  assert(shape.size() == tiles_.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] % tiles_[d] != 0) return false;
  }
  return true;
}

std::string Sharding::HloText() const {
  const std::vector<std::vector<uint32_t>> groups = ReplicaGroups();
  if (groups.size() == 1) return "{replicated}";
  std::vector<int64_t> dimensions = tiles_;
  if (replicas_ > 1) dimensions.push_back(replicas_);
  std::vector<uint32_t> devices;
  for (const std::vector<uint32_t>& group : groups) {
    devices.insert(devices.end(), group.begin(), group.end());
  }
  return fmt::format("{{devices=[{}]{}{}}}", fmt::join(dimensions, ","),
                     fmt::join(devices, ","),
                     replicas_ > 1 ? " last_tile_dim_replicate" : "");
}

}  // namespace penstock
