#include "infeed/sharding/hlo_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>
#include <optional>
#include <vector>

#include "infeed/sharding/iota_tiles.h"

namespace penstock {
namespace {

std::string SubgroupsText(const std::vector<Subgroup>& subgroups) {
  if (subgroups.empty()) return "";
  if (subgroups.size() == 1 &&
      subgroups[0].kind == Subgroup::Kind::kReplicated) {
    return " last_tile_dim_replicate";
  }
  std::vector<std::string_view> names;
  for (const Subgroup& group : subgroups) {
    names.push_back(group.kind == Subgroup::Kind::kManual ? "manual"
                                                          : "replicated");
  }
  return fmt::format(" last_tile_dims={{{}}}", fmt::join(names, ", "));
}

std::string IotaText(const IotaTiles& tiles) {
  std::vector<size_t> rising(tiles.order.size());
  std::iota(rising.begin(), rising.end(), size_t{0});
  return fmt::format("<=[{}]{}", fmt::join(tiles.dimensions, ","),
                     tiles.order == rising
                         ? std::string()
                         : fmt::format("T({})", fmt::join(tiles.order, ",")));
}

std::string TextOf(const Sharding& sharding, bool iota) {
  const TileGrid& grid = sharding.grid();
  switch (sharding.kind()) {
    case ShardingKind::kReplicated:
      return "{replicated}";
    case ShardingKind::kManual:
      return "{manual}";
    case ShardingKind::kOneDevice:
      return fmt::format("{{maximal device={}}}", grid.devices[0]);
    case ShardingKind::kTiled:
      break;
  }
  std::vector<int64_t> dimensions = grid.tiles;
  for (const Subgroup& group : grid.subgroups) dimensions.push_back(group.size);
  const std::optional<IotaTiles> tiles =
      iota ? FindIota(grid.devices) : std::nullopt;
  return fmt::format("{{devices=[{}]{}{}}}", fmt::join(dimensions, ","),
                     tiles ? IotaText(*tiles)
                           : fmt::format("{}", fmt::join(grid.devices, ",")),
                     SubgroupsText(grid.subgroups));
}

}  // namespace

std::string HloText(const Sharding& sharding) {
  return TextOf(sharding, /*iota=*/false);
}

std::string HloIotaText(const Sharding& sharding) {
  return TextOf(sharding, /*iota=*/true);
}

}  // namespace penstock
