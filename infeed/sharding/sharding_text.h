// Meshes and partition specs as a user writes them on a command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/sharding/mesh.h"
#include "infeed/sharding/sharding.h"

namespace penstock {

// Reads "data=4,model=2".
// Errors:  kInvalidArgument with the part that is wrong.
StatusOr<std::vector<MeshAxis>> ParseMeshAxes(std::string_view text);

// Reads "0-3,8,4-7": numbers and runs of them, rising or falling.
// Errors:  kInvalidArgument with the part that is wrong.
StatusOr<std::vector<uint32_t>> ParseNumbers(std::string_view text);

// Reads "data,None", "(data,fsdp),None", "": an entry a dimension.
// Errors:  kInvalidArgument with the place in the text.
StatusOr<PartitionSpec> ParsePartitionSpec(std::string_view text);

// What ParsePartitionSpec() reads.
std::string PartitionSpecText(const PartitionSpec& spec);

// "[0,4) [8,12)"; "nothing" where there is none.
std::string RangesText(const std::vector<IndexRange>& ranges);

}  // namespace penstock
