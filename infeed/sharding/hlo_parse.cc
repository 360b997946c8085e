#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "formats/files/quoted.h"
#include "formats/files/status_or.h"
#include "infeed/sharding/hlo_text.h"
#include "infeed/sharding/iota_tiles.h"

namespace penstock {
namespace {

// No list is longer than a mesh can be (see Mesh::Create()).
constexpr int64_t kMostDevices = int64_t{1} << 24;

class HloParser {
 public:
  HloParser(std::string_view text, uint32_t devices)
      : text_(text), devices_(devices) {}

  StatusOr<Sharding> Parse() {
    PENSTOCK_RETURN_IF_ERROR(Expect("{"));
    PENSTOCK_ASSIGN_OR_RETURN(Sharding sharding, ParseBody());
    if (text_.substr(at_).starts_with(" metadata=")) {
      return UnimplementedError(Message("metadata is not read; leave it out"));
    }
    PENSTOCK_RETURN_IF_ERROR(Expect("}"));
    if (at_ != text_.size()) return Wrong("nothing more was expected here");
    return sharding;
  }

 private:
  StatusOr<Sharding> ParseBody() {
    if (Take("replicated")) return Sharding::Replicated(devices_);
    if (Take("manual")) return Sharding::Manual(devices_);
    if (text_.substr(at_).starts_with("{")) {
      return UnimplementedError(
          Message("this is a tuple of shardings; give each by itself"));
    }
    PENSTOCK_RETURN_IF_ERROR(RefuseUnsaid());
    if (Take("maximal device=")) {
      PENSTOCK_ASSIGN_OR_RETURN(const int64_t device, Number(0));
      if (device >= devices_) {
        return Wrong(
            fmt::format("device {} of {}, counted from 0", device, devices_));
      }
      return Sharding::OneDevice(static_cast<uint32_t>(device), devices_);
    }
    if (Take("devices=")) return ParseTiles();
    return Wrong("expected replicated, manual, maximal device= or devices=");
  }

  StatusOr<Sharding> ParseTiles() {
    TileGrid grid;
    const size_t dimensions_at = at_;
    PENSTOCK_ASSIGN_OR_RETURN(grid.tiles, Sizes());
    const int64_t places = Product(grid.tiles);
    const size_t devices_at = at_;
    PENSTOCK_ASSIGN_OR_RETURN(grid.devices, Take("<=") ? Iota() : List());
    if (grid.devices.size() != static_cast<size_t>(places)) {
      at_ = devices_at;
      return Wrong(fmt::format("{} devices, but the grid has {} places",
                               grid.devices.size(), places));
    }
    if (places != devices_) {
      at_ = dimensions_at;
      return Wrong(fmt::format("a grid of {} places, but there are {} devices",
                               places, devices_));
    }
    PENSTOCK_ASSIGN_OR_RETURN(const std::vector<Subgroup::Kind> kinds,
                              Subgroups());
    if (kinds.size() > grid.tiles.size()) {
      return Wrong(fmt::format("{} last dimensions of a grid of {}",
                               kinds.size(), grid.tiles.size()));
    }
    for (size_t k = 0; k < kinds.size(); ++k) {
      grid.subgroups.push_back(
          {kinds[k], grid.tiles[grid.tiles.size() - kinds.size() + k]});
    }
    grid.tiles.resize(grid.tiles.size() - kinds.size());
    auto sharding = Sharding::Tiled(std::move(grid));
    if (sharding.ok()) return sharding;
    at_ = devices_at;
    return Wrong(std::string(sharding.status().message()));
  }

  // "[4,2]T(1,0)"
  StatusOr<std::vector<uint32_t>> Iota() {
    IotaTiles tiles;
    PENSTOCK_ASSIGN_OR_RETURN(tiles.dimensions, Sizes());
    for (size_t d = 0; d < tiles.dimensions.size(); ++d) {
      tiles.order.push_back(d);
    }
    if (!Take("T(")) return ExpandIota(tiles);
    std::vector<bool> seen(tiles.order.size());
    for (size_t d = 0; d < tiles.order.size(); ++d) {
      if (d > 0) PENSTOCK_RETURN_IF_ERROR(Expect(","));
      const size_t axis_at = at_;
      PENSTOCK_ASSIGN_OR_RETURN(const int64_t axis, Number(0));
      if (axis >= static_cast<int64_t>(seen.size()) ||
          seen[static_cast<size_t>(axis)]) {
        at_ = axis_at;
        return Wrong(
            fmt::format("the order needs 0 to {} once each", seen.size() - 1));
      }
      seen[static_cast<size_t>(axis)] = true;
      tiles.order[d] = static_cast<size_t>(axis);
    }
    PENSTOCK_RETURN_IF_ERROR(Expect(")"));
    return ExpandIota(tiles);
  }

  StatusOr<std::vector<uint32_t>> List() {
    std::vector<uint32_t> devices;
    do {
      PENSTOCK_ASSIGN_OR_RETURN(const int64_t device, Number(0));
      devices.push_back(static_cast<uint32_t>(device));
    } while (Take(","));
    return devices;
  }

  StatusOr<std::vector<Subgroup::Kind>> Subgroups() {
    std::vector<Subgroup::Kind> kinds;
    if (Take(" last_tile_dim_replicate")) {
      kinds.push_back(Subgroup::Kind::kReplicated);
    } else if (Take(" last_tile_dims={")) {
      do {
        if (Take("replicated")) {
          kinds.push_back(Subgroup::Kind::kReplicated);
        } else if (Take("manual")) {
          kinds.push_back(Subgroup::Kind::kManual);
        } else {
          PENSTOCK_RETURN_IF_ERROR(RefuseUnsaid());
          return Wrong("expected replicated or manual");
        }
      } while (Take(", ") || Take(","));
      PENSTOCK_RETURN_IF_ERROR(Expect("}"));
    }
    return kinds;
  }

  Status RefuseUnsaid() const {
    for (const std::string_view word : {"unknown", "unreduced"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      return UnimplementedError(
          Message("this does not say where an input lies"));
    }
    return OkStatus();
  }

  // "[4,2]", of which none is 0 and the product is no pod's.
  StatusOr<std::vector<int64_t>> Sizes() {
    PENSTOCK_RETURN_IF_ERROR(Expect("["));
    std::vector<int64_t> sizes;
    do {
      const size_t size_at = at_;
      PENSTOCK_ASSIGN_OR_RETURN(const int64_t size, Number(1));
      if (size > kMostDevices / Product(sizes)) {
        at_ = size_at;
        return Wrong(fmt::format("more than {} places", kMostDevices));
      }
      sizes.push_back(size);
    } while (Take(","));
    PENSTOCK_RETURN_IF_ERROR(Expect("]"));
    return sizes;
  }

  StatusOr<int64_t> Number(int64_t least) {
    int64_t number = 0;
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    const auto [rest, error] = std::from_chars(begin, end, number);
    if (error == std::errc::invalid_argument || *begin == '-') {
      return Wrong("expected a number");
    }
    if (error != std::errc() || number > kMostDevices || number < least) {
      return Wrong(fmt::format("a number from {} to {} was expected", least,
                               kMostDevices));
    }
    at_ += static_cast<size_t>(rest - begin);
    return number;
  }

  static int64_t Product(const std::vector<int64_t>& sizes) {
    int64_t product = 1;
    for (const int64_t size : sizes) product *= size;
    return product;
  }

  bool Take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  Status Expect(std::string_view word) {
    if (Take(word)) return OkStatus();
    return Wrong(fmt::format("expected \"{}\"", word));
  }

  Status Wrong(std::string_view what) const {
    return InvalidArgumentError(Message(what));
  }
  std::string Message(std::string_view what) const {
    return fmt::format("sharding {}, at character {}: {}", Quoted(text_), at_,
                       what);
  }

  const std::string_view text_;
  const uint32_t devices_;
  size_t at_ = 0;
};

}  // namespace

StatusOr<Sharding> ParseHloSharding(std::string_view text, uint32_t devices) {
  return HloParser(text, devices).Parse();
}

}  // namespace penstock
