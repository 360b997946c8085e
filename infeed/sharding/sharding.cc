#include "infeed/sharding/sharding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

constexpr uint32_t kNowhere = ~uint32_t{0};

int64_t CeilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

std::vector<uint32_t> AllDevices(uint32_t devices) {
  std::vector<uint32_t> all(devices);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

// Places and sizes of the axes that cut each dimension, major first.
StatusOr<std::vector<std::vector<size_t>>> AxesOf(const Mesh& mesh,
                                                  const PartitionSpec& spec) {
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
  return axes_of_dimension;
}

// Row-major number of a place along `axes`.
int64_t NumberAlong(const Mesh& mesh, const std::vector<size_t>& axes,
                    const std::vector<int64_t>& coordinates) {
  int64_t number = 0;
  for (const size_t axis : axes) {
    number = number * mesh.axes()[axis].size + coordinates[axis];
  }
  return number;
}

}  // namespace

StatusOr<Sharding> Sharding::Create(const Mesh& mesh,
                                    const PartitionSpec& spec) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto axes_of_dimension, AxesOf(mesh, spec));
  TileGrid grid;
  std::vector<size_t> order;  // axes that cut, major first, then the others
  for (const std::vector<size_t>& axes : axes_of_dimension) {
    int64_t tiles = 1;
    for (const size_t axis : axes) tiles *= mesh.axes()[axis].size;
    grid.tiles.push_back(tiles);
    order.insert(order.end(), axes.begin(), axes.end());
  }
  int64_t replicas = 1;
  for (size_t axis = 0; axis < mesh.axes().size(); ++axis) {
    if (std::ranges::find(order, axis) != order.end()) continue;
    order.push_back(axis);
    replicas *= mesh.axes()[axis].size;
  }
  if (replicas > 1) {
    grid.subgroups = {{Subgroup::Kind::kReplicated, replicas}};
  }
  grid.devices.resize(mesh.size());
  for (const uint32_t device : mesh.devices()) {
    const int64_t place = NumberAlong(mesh, order, mesh.CoordinatesOf(device));
    grid.devices[static_cast<size_t>(place)] = device;
  }
  return Tiled(std::move(grid));
}

StatusOr<Sharding> Sharding::Tiled(TileGrid grid) {
  uint64_t places = 1;
  int64_t cut = 1;
  const auto count = [&](int64_t size) {
    if (size < 1 || places > grid.devices.size()) return false;
    places *= static_cast<uint64_t>(size);
    return true;
  };
  bool sizes = true;
  for (const int64_t tiles : grid.tiles) {
    sizes = sizes && count(tiles);
    cut = std::max(cut, tiles);
  }
  for (const Subgroup& group : grid.subgroups) {
    sizes = sizes && count(group.size);
  }
  if (!sizes || places != grid.devices.size()) {
    return InvalidArgumentError(fmt::format(
        "a grid of tiles whose sizes do not multiply to its {} devices",
        grid.devices.size()));
  }
  std::vector<bool> seen(grid.devices.size());
  for (const uint32_t device : grid.devices) {
    if (device >= seen.size() || seen[device]) {
      return InvalidArgumentError(fmt::format(
          "device {} of a grid of tiles is {}; the ids 0 to {} are needed "
          "once each",
          device, device >= seen.size() ? "out of range" : "given twice",
          seen.size() - 1));
    }
    seen[device] = true;
  }
  std::erase_if(grid.subgroups, [](const Subgroup& g) { return g.size == 1; });
  const bool manual =
      std::ranges::count(grid.subgroups, Subgroup::Kind::kManual,
                         &Subgroup::kind) > 0;
  const auto devices = static_cast<uint32_t>(grid.devices.size());
  return Sharding(
      cut == 1 && !manual ? ShardingKind::kReplicated : ShardingKind::kTiled,
      devices, std::move(grid));
}

Sharding Sharding::Replicated(uint32_t devices) {
  return Sharding(ShardingKind::kReplicated, devices,
                  {.devices = AllDevices(devices)});
}

Sharding Sharding::Manual(uint32_t devices) {
  return Sharding(ShardingKind::kManual, devices,
                  {.devices = AllDevices(devices)});
}

StatusOr<Sharding> Sharding::OneDevice(uint32_t device, uint32_t devices) {
  if (device >= devices) {
    return InvalidArgumentError(fmt::format(
        "device {} of {}: devices are counted from 0", device, devices));
  }
  return Sharding(ShardingKind::kOneDevice, devices, {.devices = {device}});
}

Sharding::Sharding(ShardingKind kind, uint32_t devices, TileGrid grid)
    : kind_(kind),
      devices_(devices),
      grid_(std::move(grid)),
      place_of_device_(devices, kNowhere) {
  int64_t tiles = 1;
  for (const int64_t size : grid_.tiles) tiles *= size;
  replicas_ = static_cast<int64_t>(grid_.devices.size()) / tiles;
  for (uint32_t place = 0; place < grid_.devices.size(); ++place) {
    place_of_device_[grid_.devices[place]] = place;
  }
}

bool Sharding::Holds(uint32_t device) const {
  return place_of_device_[device] != kNowhere;
}

int64_t Sharding::TilesOf(size_t d) const {
  return d < grid_.tiles.size() ? grid_.tiles[d] : 1;
}

std::vector<int64_t> Sharding::TileOf(uint32_t device) const {
  assert(Holds(device));
  std::vector<int64_t> tile(grid_.tiles.size());
  int64_t rest = place_of_device_[device] / replicas_;
  for (size_t d = tile.size(); d-- > 0;) {
    tile[d] = rest % grid_.tiles[d];
    rest /= grid_.tiles[d];
  }
  return tile;
}

int64_t Sharding::ReplicaOf(uint32_t device) const {
  assert(Holds(device));
  return place_of_device_[device] % replicas_;
}

std::vector<std::vector<uint32_t>> Sharding::ReplicaGroups() const {
  const auto each = static_cast<size_t>(replicas_);
  std::vector<std::vector<uint32_t>> groups;
  for (size_t begin = 0; begin < grid_.devices.size(); begin += each) {
    const auto first = grid_.devices.begin() + static_cast<ptrdiff_t>(begin);
    groups.emplace_back(first, first + static_cast<ptrdiff_t>(each));
  }
  return groups;
}

std::vector<IndexRange> Sharding::RangesOf(
    uint32_t device, const std::vector<int64_t>& shape) const {
  assert(shape.size() >= grid_.tiles.size());
  std::vector<IndexRange> ranges(shape.size());
  if (!Holds(device)) return ranges;
  std::vector<int64_t> tile = TileOf(device);
  tile.resize(shape.size());
  const std::vector<int64_t> shard = ShardShape(shape);
  for (size_t d = 0; d < shape.size(); ++d) {
    ranges[d] = {std::min(tile[d] * shard[d], shape[d]),
                 std::min((tile[d] + 1) * shard[d], shape[d])};
  }
  return ranges;
}

std::vector<int64_t> Sharding::ShardShape(
    const std::vector<int64_t>& shape) const {
  assert(shape.size() >= grid_.tiles.size());
  std::vector<int64_t> shard;
  for (size_t d = 0; d < shape.size(); ++d) {
    shard.push_back(CeilDivide(shape[d], TilesOf(d)));
  }
  return shard;
}

std::vector<int64_t> Sharding::PaddedShape(
    const std::vector<int64_t>& shape) const {
  std::vector<int64_t> padded = ShardShape(shape);
  for (size_t d = 0; d < shape.size(); ++d) padded[d] *= TilesOf(d);
  return padded;
}

bool Sharding::SplitsEvenly(const std::vector<int64_t>& shape) const {
  return PaddedShape(shape) == shape;
}

}  // namespace penstock
