// The figures of a run that goes on, as Prometheus reads them.
#pragma once

#include <string>

#include "infeed/training/live_run.h"

namespace penstock {

// Source:  "Text-based format", version 0.0.4, of the Prometheus project.
std::string MetricsText(const LiveFigures& figures);

}  // namespace penstock
