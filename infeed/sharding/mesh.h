// Devices as a grid with named axes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"

namespace penstock {

struct MeshAxis {
  std::string name;
  int64_t size = 1;

  bool operator==(const MeshAxis&) const = default;
};

// A grid of device ids 0 .. n-1, row-major: the last axis changes fastest.
// An immutable value.
//
//   auto mesh = Mesh::Create({{"data", 4}, {"model", 2}});
class Mesh {
 public:
  // `devices` says which device stands at each place of the grid; empty is
  // 0, 1, 2 ...
  // Errors:  kInvalidArgument for no axis, an unnamed axis or one named twice,
  //          a size below 1, a `devices` that is no order of 0 .. n-1.
  static StatusOr<Mesh> Create(std::vector<MeshAxis> axes,
                               std::vector<uint32_t> devices = {});

  const std::vector<MeshAxis>& axes() const { return axes_; }
  // Device ids in row-major order of the grid.
  const std::vector<uint32_t>& devices() const { return devices_; }
  uint32_t size() const { return static_cast<uint32_t>(devices_.size()); }

  // The number of an axis; nullopt where there is none of that name.
  std::optional<size_t> FindAxis(std::string_view name) const;
  // The place of `device` along every axis.
  std::vector<int64_t> CoordinatesOf(uint32_t device) const;

  // The same axes with device p at place p: how a compiled program, which knows
  // places alone, sees this mesh.
  Mesh Places() const;

  // "data=4 model=2".
  std::string Describe() const;

 private:
  Mesh(std::vector<MeshAxis> axes, std::vector<uint32_t> devices);

  std::vector<MeshAxis> axes_;
  std::vector<uint32_t> devices_;
  std::vector<uint32_t> place_of_device_;
};

}  // namespace penstock
