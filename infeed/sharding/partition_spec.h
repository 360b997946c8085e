// Which axes of a mesh cut which dimensions of a tensor.
#pragma once

#include <string>
#include <vector>

namespace penstock {

// For each dimension of a tensor the mesh axes that cut it, major first; none
// leaves it whole. {{"x", "y"}, {}} cuts rows over both axes. Dimensions behind
// the last entry are whole.
using PartitionSpec = std::vector<std::vector<std::string>>;

// What a user gives for a tensor by name.
struct TensorSharding {
  std::string tensor;
  PartitionSpec spec;

  bool operator==(const TensorSharding&) const = default;
};

}  // namespace penstock
