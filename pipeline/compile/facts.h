// What Compile() found out, for those who ask.
#pragma once

#include <optional>

#include "pipeline/arrange/forecast.h"
#include "pipeline/compile/choice.h"
#include "pipeline/compile/pipeline_impl.h"
#include "pipeline/compile_options.h"
#include "pipeline/graph/order_tree.h"
#include "pipeline/graph/sources.h"
#include "pipeline/run/job.h"
#include "pipeline/run/placement.h"

namespace penstock {

// Of a pipeline that is put together; borrowed.
struct CompiledParts {
  const Job& job;
  const Sources& sources;
  const OrderTree& tree;
  const Choice& choice;
  const CompileOptions& options;
  const ArrangeOptions& arrange;
  const std::optional<Forecast>& forecast;  // where planned
  const Placement& placement;
  uint64_t length_bytes = 0;  // of lengths that are no index's
  bool carries = false;       // rows into the next epoch
  bool withdrawn = false;     // records of the order
  int threads = 0;
};

// All but PipelineFacts::lockstep.
PipelineFacts FactsOf(const CompiledParts& of);

}  // namespace penstock
