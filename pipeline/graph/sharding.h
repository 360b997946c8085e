// Orders and rows where each host reads a part of the data of its own.
#pragma once

#include "formats/files/status_or.h"
#include "pipeline/compile_options.h"
#include "pipeline/graph/order_tree.h"
#include "pipeline/graph/sources.h"
#include "pipeline/graph/stages.h"
#include "pipeline/topology.h"

namespace penstock {

// The name of this part of a state's graph begins so, and says how data is
// shared and by how many hosts.
inline constexpr char kShardingPart[] = "sharding";

// MakeOrderTree(), or nothing where records are read in sequence. But by kPlan
// records are shared among the hosts, whose rows follow each other in the ratio
// of those that they feed of a batch.
// Errors:  those of MakeOrderTree(); kInvalidArgument for what cannot be shared
//          so, saying what to do.
StatusOr<OrderTree> OrderRecords(const Stages& stages, const Sources& sources,
                                 ShardBy by, const Topology& topology);

}  // namespace penstock
