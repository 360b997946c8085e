// Shardings given for some tensors of a batch, carried to the others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/sharding/mesh.h"
#include "infeed/sharding/partition_spec.h"

namespace penstock {

// A tensor whose dimensions have names: those of the same name are the same
// dimension, as the rows of all tensors of a batch are. "" is its own.
struct NamedTensor {
  std::string name;
  std::vector<std::string> dimensions;
  std::vector<int64_t> shape;
  uint64_t element_bytes = 4;
};

struct CompletedSharding {
  PartitionSpec spec;  // an entry for each dimension
  // Of each dimension: the tensor it was taken from; its own name where it was
  // given; "" where nothing was said and it stays whole.
  std::vector<std::string> from;
};

struct Completion {
  std::vector<CompletedSharding> shardings;  // one for each tensor
  // In words: where a choice replicates or moves more than it must.
  std::vector<std::string> warnings;
};

// Each dimension of a tensor without a sharding takes the axes of the first
// given dimension of its name, unless another of its dimensions has them.
//
// Errors:  kInvalidArgument for a name that no tensor has or that is given
//          twice, a spec longer than its tensor, and what Sharding::Create()
//          refuses.
StatusOr<Completion> Complete(const Mesh& mesh,
                              const std::vector<NamedTensor>& tensors,
                              const std::vector<TensorSharding>& given);

}  // namespace penstock
