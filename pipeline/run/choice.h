// Planned or streamed.
#pragma once

#include <string>

#include "pipeline/graph/source.h"
#include "pipeline/graph/stages.h"

namespace penstock {

struct Choice {
  bool planned = false;
  std::string why;  // for Explain()
};

Choice Choose(const Stages& stages, const Source& source, bool force_streamed);

}  // namespace penstock
