// Tells the user what a run skipped.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "formats/records/bad_part.h"
#include "formats/records/recovery.h"

namespace penstock {

// Each region is printed on stderr once, however many epochs and hosts of one
// process meet it; of all that is skipped the first kMostPrinted are.
//
// Threads: any number at a time.
// Cost:    about 100 bytes for each region.
class SkippedReport {
 public:
  static constexpr uint64_t kMostPrinted = 100;

  // `program` begins the lines.
  explicit SkippedReport(std::string program) : program_(std::move(program)) {}

  void Add(const SkippedRegion& region);
  // A part that was left out, each time anew; `why` names it.
  void AddPart(BadPart part, const Status& why);
  // The last line, where anything was skipped.
  void Finish();

 private:
  void PrintSome(const std::string& what);

  const std::string program_;
  std::mutex mutex_;
  std::set<std::pair<std::string, uint64_t>> seen_;  // file and begin
  uint64_t bytes_ = 0;
  std::map<BadPart, uint64_t> parts_;
  uint64_t printed_ = 0;
};

}  // namespace penstock
