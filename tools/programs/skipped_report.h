// Tells the user what a run skipped.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "formats/records/recovery.h"

namespace penstock {

// Each region is printed on stderr once, however many epochs and hosts of one
// process meet it.
//
// Threads: any number at a time.
// Cost:    about 100 bytes for each region.
class SkippedReport {
 public:
  // `program` begins the lines.
  explicit SkippedReport(std::string program) : program_(std::move(program)) {}

  void Add(const SkippedRegion& region);
  // A line of text that was left out, each time anew; `why` names it.
  void AddLine(const Status& why);
  // The last line, where anything was skipped.
  void Finish();

 private:
  const std::string program_;
  std::mutex mutex_;
  std::set<std::pair<std::string, uint64_t>> seen_;  // file and begin
  uint64_t bytes_ = 0;
  uint64_t lines_ = 0;
};

}  // namespace penstock
