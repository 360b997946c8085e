#include "tools/infeedsim/report_files.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "formats/files/atomic_file.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "infeed/reports/report_events.h"
#include "infeed/reports/reports.h"
#include "infeed/virtual/virtual_simulation.h"
#include "tools/programs/leftover_files.h"

namespace penstock {
namespace {

Status Write(const std::string& path, const std::string& text) {
  ClearLeftovers("infeedsim", path);
  return WriteFileAtomically(LocalFiles(), path, text);
}

}  // namespace

Status WriteReports(const ReportFiles& to, const RunReport& report,
                    const std::string& title) {
  if (!to.json.empty()) {
    PENSTOCK_RETURN_IF_ERROR(Write(to.json, ReportJson(report)));
  }
  if (!to.html.empty()) {
    PENSTOCK_RETURN_IF_ERROR(Write(to.html, ReportHtml(report, title)));
    fmt::print(stderr, "infeedsim: the report as a page: {}\n", to.html);
  }
  if (!to.timeline.empty()) {
    PENSTOCK_RETURN_IF_ERROR(Write(to.timeline, ReportTrace(report)));
  }
  if (!to.calibration.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(const Calibration calibration,
                              CalibrationOf(report));
    PENSTOCK_RETURN_IF_ERROR(
        Write(to.calibration, CalibrationJson(calibration)));
  }
  if (!to.tensorboard.empty()) {
    const std::chrono::duration<double> now =
        std::chrono::system_clock::now().time_since_epoch();
    PENSTOCK_ASSIGN_OR_RETURN(
        const std::string path,
        WriteEvents(LocalFiles(), to.tensorboard, report,
                    now.count() - static_cast<double>(report.wall_ns) * 1e-9));
    fmt::print(stderr, "infeedsim: events for TensorBoard: {}\n", path);
  }
  return OkStatus();
}

}  // namespace penstock
