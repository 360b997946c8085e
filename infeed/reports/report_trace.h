// A run's steps, device by device, for a trace viewer.
#pragma once

#include <string>

#include "infeed/training/run_report.h"

namespace penstock {

// JSON that Perfetto (ui.perfetto.dev) and chrome://tracing open: a process for
// each host, a thread for each device, and in it what the device did or waited
// for, in the ledger's words, of the steps in CoreReport::spans. Microseconds
// since the run began; what took no time is left out.
//
// Source:  Google, "Trace Event Format": complete and metadata events.
std::string ReportTrace(const RunReport& report);

}  // namespace penstock
