// A run's report as a page.
#pragma once

#include <string>

#include "infeed/training/run_report.h"

namespace penstock {

// One HTML file that needs nothing else, neither net nor scripts: key figures,
// the step timeline, the ledger of each host, how full the queues were, what
// each length wasted, compiles with their causes, and the pipeline's own
// explanation. Follows the reader's light or dark setting and fits narrow
// windows. `title` is text.
std::string ReportHtml(const RunReport& report, const std::string& title);

}  // namespace penstock
