// A run's report for programs.
#pragma once

#include <string>

#include "infeed/training/run_report.h"

namespace penstock {

// One JSON object; names end in their unit, times are integer nanoseconds, each
// core has every bucket of its ledger. Digests are 16 hexadecimal digits, as
// JSON readers round large numbers.
std::string ReportJson(const RunReport& report);

}  // namespace penstock
