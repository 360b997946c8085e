#include "infeed/sharding/mesh_split.h"

#include <fmt/format.h>

#include "formats/files/status_or.h"

namespace penstock {

StatusOr<PartitionSpec> SpecOfDimsMapping(
    const Mesh& mesh, std::span<const int64_t> dims_mapping) {
  PartitionSpec spec;
  for (const int64_t axis : dims_mapping) {
    std::vector<std::string>& axes = spec.emplace_back();
    if (axis == -1) continue;
    if (axis < 0 || axis >= static_cast<int64_t>(mesh.axes().size())) {
      return InvalidArgumentError(fmt::format(
          "dimension {} is cut over axis {}, but the mesh ({}) has axes 0 to "
          "{}; -1 leaves a dimension whole",
          spec.size() - 1, axis, mesh.Describe(), mesh.axes().size() - 1));
    }
    axes.push_back(mesh.axes()[static_cast<size_t>(axis)].name);
  }
  return spec;
}

StatusOr<Sharding> MeshSplit(const std::vector<int64_t>& shape,
                             const Mesh& mesh,
                             std::span<const int64_t> dims_mapping) {
  if (dims_mapping.size() != shape.size()) {
    return InvalidArgumentError(fmt::format(
        "a dims_mapping of {} entries for a tensor of {} dimensions",
        dims_mapping.size(), shape.size()));
  }
  PENSTOCK_ASSIGN_OR_RETURN(const PartitionSpec spec,
                            SpecOfDimsMapping(mesh, dims_mapping));
  return Sharding::Create(mesh, spec);
}

}  // namespace penstock
