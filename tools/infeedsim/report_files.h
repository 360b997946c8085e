// The files that infeedsim writes a run's report to.
#pragma once

#include <cstddef>
#include <string>

#include "formats/files/status.h"
#include "infeed/training/run_report.h"

namespace penstock {

// Paths; those that are empty are not written.
struct ReportFiles {
  std::string json;
  std::string html;
  std::string timeline;
  std::string tensorboard;  // a folder
  std::string calibration;

  // SimulationOptions::traced_steps for them.
  size_t TracedSteps() const {
    return timeline.empty() && calibration.empty() ? 0 : 10'000;
  }
};

// Writes those that are asked for, and says on standard error where the page
// and the event file are. The run has just ended.
Status WriteReports(const ReportFiles& to, const RunReport& report,
                    const std::string& title);

}  // namespace penstock
