// Shardings by axis number, as GSPMD's mesh_split takes them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/sharding/mesh.h"
#include "infeed/sharding/sharding.h"

namespace penstock {

// Dimension d of a tensor is cut over axis dims_mapping[d] of the mesh; -1
// leaves it whole.
//
// Errors:  kInvalidArgument for a mapping that is not as long as the shape, an
//          axis that is not there or that is used twice.
// Source:  "GSPMD: General and Scalable Parallelization for ML Computation
//          Graphs", 2021, section 3.2.
StatusOr<PartitionSpec> SpecOfDimsMapping(
    const Mesh& mesh, std::span<const int64_t> dims_mapping);
StatusOr<Sharding> MeshSplit(const std::vector<int64_t>& shape,
                             const Mesh& mesh,
                             std::span<const int64_t> dims_mapping);

}  // namespace penstock
