// A run's report for people.
#pragma once

#include <string>

#include "infeed/training/run_report.h"

namespace penstock {

// Some forty lines of 80 columns: speed, steps, the ledger as a table, shapes
// and compiles with their causes, padding, what was seen, digests, state.
std::string ReportText(const RunReport& report);

}  // namespace penstock
