// All that is derived for a graph.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pipeline/build/deriver.h"
#include "pipeline/graph/stages.h"

namespace penstock {

// In the order in which they must run: objectives, which may change the values
// of a feature, come first. `dataset` is the data's fingerprint.
std::vector<std::shared_ptr<const Deriver>> MakeDerivers(const Stages& stages,
                                                         uint64_t dataset);

}  // namespace penstock
