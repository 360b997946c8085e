// What becomes of a run's accounts when it is over, and what a process tells
// host 0 of its devices.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/accounts/run_log.h"
#include "infeed/training/run_report.h"
#include "pipeline/contract.h"

namespace penstock {

// What was written down of the steps, all hosts' that were merged.
void AddLog(const RunLog& log, const Contract& contract, RunReport& report);

struct HostReport {
  std::vector<CoreReport> cores;
  RunLogPart part;
};

// Times are told from an instant that is `origin_ns` on either's clock.
//
// Size:    a bit for each record of each epoch.
std::string TellHostReport(const HostReport& report, int64_t origin_ns);
// Errors:  kInternal for what was not told by TellHostReport().
StatusOr<HostReport> HearHostReport(std::string_view told, int64_t origin_ns);

}  // namespace penstock
