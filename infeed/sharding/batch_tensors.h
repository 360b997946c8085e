// The shardings of all tensors of a batch, made from its contract.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/sharding/completion.h"
#include "infeed/sharding/load_plan.h"
#include "infeed/sharding/mesh.h"
#include "infeed/sharding/partition_spec.h"
#include "pipeline/contract.h"

namespace penstock {

class DeviceHosts;  // infeed/sharding/device_hosts.h

// Completes `given` over the tensors of shape `shape`, rows being cut over
// `axes` (see PlaceBatch()) where nothing else is said. Dimensions of the
// bucket's length are one dimension.
//
// Errors:  those of Complete().
StatusOr<Completion> CompleteBatch(const Mesh& mesh, const Contract& contract,
                                   size_t shape, std::string_view axes,
                                   const std::vector<TensorSharding>& given);

// What each host loads of a global batch of that shape, with the warnings of
// both.
StatusOr<LoadPlan> PlanBatchLoads(const Mesh& mesh, const Contract& contract,
                                  size_t shape, std::string_view axes,
                                  const std::vector<TensorSharding>& given,
                                  const DeviceHosts& hosts);

}  // namespace penstock
