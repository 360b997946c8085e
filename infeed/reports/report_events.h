// A run's figures for TensorBoard.
#pragma once

#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "infeed/training/run_report.h"

namespace penstock {

// The records of an event file: its version, then for steps of the run what
// they took in milliseconds, their waits for infeed and outfeed, compile and
// length, and after the last one the run's utilisation, goodput and padding. Of
// a long run every n-th step is told, so that there are at most 10,000.
// `begin_seconds` is when the run began, since 1970.
//
// Source:  tensorflow/core/util/event.proto and framework/summary.proto.
std::vector<std::string> ReportEvents(const RunReport& report,
                                      double begin_seconds);

// Writes them as TensorBoard looks for them, into `folder`, which is there:
// events.out.tfevents.<seconds>.penstock. Gives the file's path.
// Errors:  those of TfRecordWriter.
StatusOr<std::string> WriteEvents(FileSystem& files, const std::string& folder,
                                  const RunReport& report,
                                  double begin_seconds);

}  // namespace penstock
