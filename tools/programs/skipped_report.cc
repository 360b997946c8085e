#include "tools/programs/skipped_report.h"

#include <fmt/format.h>

#include <cstdio>

#include "tools/programs/output.h"
#include "tools/programs/program.h"

namespace penstock {

void SkippedReport::Add(const SkippedRegion& region) {
  const std::lock_guard lock(mutex_);
  if (!seen_.emplace(region.file, region.begin).second) return;
  bytes_ += region.end - region.begin;
  PrintSome(SkippedText(region));
}

void SkippedReport::AddPart(BadPart part, const Status& why) {
  const std::lock_guard lock(mutex_);
  ++parts_[part];
  PrintSome(fmt::format("skipped a {}: {}", BadPartName(part),
                        std::string(why.message())));
}

void SkippedReport::PrintSome(const std::string& what) {
  if (printed_ < kMostPrinted) PrintError("{}: {}\n", program_, what);
  if (++printed_ == kMostPrinted) {
    PrintError("{}: what else is skipped is counted only\n", program_);
  }
}

void SkippedReport::Finish() {
  const std::lock_guard lock(mutex_);
  for (const auto& [part, count] : parts_) {
    PrintError("{}: skipped {} {}s\n", program_, WithCommas(count),
               BadPartName(part));
  }
  if (seen_.empty()) return;
  PrintError("{}: skipped {} in {} places\n", program_,
             HumanBytes(static_cast<double>(bytes_)), WithCommas(seen_.size()));
}

}  // namespace penstock
