// A load plan for people and for programs.
#pragma once

#include <string>

#include "infeed/sharding/load_plan.h"

namespace penstock {

// For each tensor its sharding, shards and bytes, and what each host loads and
// hands out; then the warnings. Hosts and devices beyond a few are counted.
std::string ExplainLoads(const LoadPlan& plan);

// All of it: {"tensors": [...], "warnings": [...]}.
std::string LoadsJson(const LoadPlan& plan);

}  // namespace penstock
