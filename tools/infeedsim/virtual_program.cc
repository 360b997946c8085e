#include "tools/infeedsim/virtual_program.h"

#include <string>

#include "formats/files/atomic_file.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "infeed/virtual/virtual_run.h"
#include "infeed/virtual/virtual_simulation.h"
#include "tools/programs/leftover_files.h"
#include "tools/programs/output.h"

namespace penstock {

Status PrintVirtualRun(const Dataset& dataset,
                       const SimulationArguments& arguments) {
  const ReportFiles& reports = arguments.reports;
  if (!reports.html.empty() || !reports.timeline.empty() ||
      !reports.tensorboard.empty() || !reports.calibration.empty() ||
      !arguments.state_in.empty() || !arguments.state_out.empty() ||
      !arguments.simulation.checkpoint_folder.empty() ||
      arguments.simulation.after_step || arguments.trace_step ||
      arguments.metrics_port) {
    return InvalidArgumentError(
        "--clock virtual reads and writes no state and reports as text and "
        "--json alone: leave out --html, --timeline, --tensorboard, "
        "--write-calibration, --state-in, --state-out, --after-step, "
        "--checkpoint, --trace and --metrics");
  }
  VirtualTimes times = arguments.virtual_time.Times();
  if (!arguments.virtual_time.calibration.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(
        times.calibration,
        ReadCalibration(LocalFiles(), arguments.virtual_time.calibration));
    arguments.times.Apply(*times.calibration);
  }
  PENSTOCK_ASSIGN_OR_RETURN(
      const VirtualReport report,
      SimulateVirtually(dataset, arguments.simulation, times));
  if (report.rows_read) {
    PrintError("infeedsim: read the data for the lengths of rows in {:.3f} s\n",
               static_cast<double>(report.read_ns) * 1e-9);
  }
  Print("{}", VirtualReportText(report));
  const std::string& json = reports.json;
  if (json.empty()) return OkStatus();
  ClearLeftovers("infeedsim", json);
  return WriteFileAtomically(LocalFiles(), json, VirtualReportJson(report));
}

}  // namespace penstock
