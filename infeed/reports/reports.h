// What a run was like: for people, for programs, for a browser, for a trace
// viewer. TensorBoard's is in report_events.h.
//
// Each has a source of its own: report_text.cc, report_json.cc, report_html.cc,
// report_trace.cc.
#pragma once

#include <string>

#include "infeed/training/run_report.h"

namespace penstock {

// Some forty lines of 80 columns: speed, steps, the ledger as a table, shapes
// and compiles with their causes, padding, what was seen, digests, state.
std::string ReportText(const RunReport& report);

// One JSON object; names end in their unit, times are integer nanoseconds, each
// core has every bucket of its ledger. Digests are 16 hexadecimal digits, as
// JSON readers round large numbers.
std::string ReportJson(const RunReport& report);

// One HTML file that needs nothing else, neither net nor scripts: key figures,
// the step timeline, the ledger of each host, how full the queues were, what
// each length wasted, compiles with their causes, and the pipeline's own
// explanation. Follows the reader's light or dark setting and fits narrow
// windows. `title` is text.
std::string ReportHtml(const RunReport& report, const std::string& title);

// JSON that Perfetto (ui.perfetto.dev) and chrome://tracing open: a process for
// each host, a thread for each device, and in it what the device did or waited
// for, in the ledger's words, of the steps in CoreReport::spans. Microseconds
// since the run began; what took no time is left out.
//
// Source:  Google, "Trace Event Format": complete and metadata events.
std::string ReportTrace(const RunReport& report);

}  // namespace penstock
