// Planned or streamed.
#pragma once

#include <string>

#include "pipeline/graph/sources.h"
#include "pipeline/graph/stages.h"

namespace penstock {

struct Choice {
  bool planned = false;
  std::string why;  // for Explain()
};

Choice Choose(const Stages& stages, const Sources& sources,
              bool force_streamed);

}  // namespace penstock
