// A pipeline in words, for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/arrange/forecast.h"
#include "pipeline/compile/choice.h"
#include "pipeline/graph/order_tree.h"
#include "pipeline/graph/sources.h"
#include "pipeline/run/job.h"
#include "pipeline/run/placement.h"

namespace penstock {

struct Explanation {
  bool planned = false;
  std::string why;  // planned, or streamed
  SequenceChoice sequence = {};
  std::optional<Forecast> forecast = {};
  bool epochs_are_alike = false;  // so that it holds for all of them
  int threads = 0;
  std::vector<ByteBudget> budgets = {};
};

// A few lines: stages, placement and why, tensors and shapes, steps, rows of
// each host, and the bytes of every buffer with their sum.
std::string Explain(const Job& job, const Sources& sources,
                    const OrderTree& tree, const Explanation& explanation);

}  // namespace penstock
