#include "infeed/sharding/mesh.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

// Far above any pod; keeps products and ids within 32 bits.
constexpr int64_t kMaxDevices = int64_t{1} << 24;

}  // namespace

StatusOr<Mesh> Mesh::Create(std::vector<MeshAxis> axes,
                            std::vector<uint32_t> devices) {
  if (axes.empty()) {
    return InvalidArgumentError(
        "a mesh needs at least one axis, for example {\"data\", 8}");
  }
  int64_t size = 1;
  for (size_t a = 0; a < axes.size(); ++a) {
    if (axes[a].name.empty()) {
      return InvalidArgumentError(
          fmt::format("axis {} of the mesh has no name", a));
    }
    for (size_t b = 0; b < a; ++b) {
      if (axes[b].name == axes[a].name) {
        return InvalidArgumentError(
            fmt::format("two axes of the mesh are named \"{}\"", axes[a].name));
      }
    }
    if (axes[a].size < 1 || axes[a].size > kMaxDevices / size) {
      return InvalidArgumentError(fmt::format(
          "axis \"{}\" of the mesh has size {}; a size is at least 1 and a "
          "mesh has at most {} devices",
          axes[a].name, axes[a].size, kMaxDevices));
    }
    size *= axes[a].size;
  }
  if (devices.empty()) {
    devices.resize(static_cast<size_t>(size));
    std::iota(devices.begin(), devices.end(), 0u);
  }
  if (devices.size() != static_cast<size_t>(size)) {
    return InvalidArgumentError(
        fmt::format("the mesh has {} places but {} devices were given", size,
                    devices.size()));
  }
  std::vector<bool> seen(devices.size(), false);
  for (const uint32_t device : devices) {
    if (device >= devices.size() || seen[device]) {
      return InvalidArgumentError(fmt::format(
          "device {} of the mesh is {}; the ids 0 to {} are needed "
          "once each",
          device, device >= devices.size() ? "out of range" : "given twice",
          devices.size() - 1));
    }
    seen[device] = true;
  }
  return Mesh(std::move(axes), std::move(devices));
}

Mesh::Mesh(std::vector<MeshAxis> axes, std::vector<uint32_t> devices)
    : axes_(std::move(axes)),
      devices_(std::move(devices)),
      place_of_device_(devices_.size()) {
  for (uint32_t place = 0; place < devices_.size(); ++place) {
    place_of_device_[devices_[place]] = place;
  }
}

std::optional<size_t> Mesh::FindAxis(std::string_view name) const {
  for (size_t a = 0; a < axes_.size(); ++a) {
    if (axes_[a].name == name) return a;
  }
  return std::nullopt;
}

std::vector<int64_t> Mesh::CoordinatesOf(uint32_t device) const {
  int64_t rest = place_of_device_[device];
  std::vector<int64_t> coordinates(axes_.size());
  for (size_t a = axes_.size(); a-- > 0;) {
    coordinates[a] = rest % axes_[a].size;
    rest /= axes_[a].size;
  }
  return coordinates;
}

Mesh Mesh::Places() const {
  std::vector<uint32_t> places(devices_.size());
  std::iota(places.begin(), places.end(), 0u);
  return Mesh(axes_, std::move(places));
}

std::string Mesh::Describe() const {
  std::string text;
  for (const MeshAxis& axis : axes_) {
    if (!text.empty()) text += ' ';
    text += fmt::format("{}={}", axis.name, axis.size);
  }
  return text;
}

}  // namespace penstock
