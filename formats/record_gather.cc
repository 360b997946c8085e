#include "formats/record_gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "formats/status.h"
#include "formats/tfrecord_errors.h"
#include "formats/tfrecord_framing.h"

namespace penstock {
namespace {

// Reading a gap this long costs about what another call does.
constexpr uint64_t kLargestGapBytes = 16 << 10;
// All gaps together may be as long as the records and this.
constexpr uint64_t kSpareGapBytes = 1 << 20;
// Enough to keep a flash device busy.
constexpr size_t kRangesAhead = 64;

// One read: bytes [begin, end) of a file, to bytes [place, ...) in memory.
struct Range {
  size_t file = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  size_t place = 0;
  size_t first = 0;  // records [first, last) of `wanted` lie in it
  size_t last = 0;
};

struct Plan {
  std::vector<Range> ranges;
  uint64_t size_bytes = 0;
};

Plan MakePlan(std::span<WantedRecord> wanted) {
  Plan plan;
  uint64_t gap_budget = kSpareGapBytes;
  for (size_t i = 0; i < wanted.size(); ++i) {
    WantedRecord& record = wanted[i];
    const uint64_t end =
        record.offset + record.size_bytes + kTfRecordFramingBytes;
    Range* range = plan.ranges.empty() ? nullptr : &plan.ranges.back();
    const bool same_file = range != nullptr && range->file == record.file;
    const bool again = same_file && record.offset < range->end;
    const uint64_t gap = same_file && !again ? record.offset - range->end : 0;
    if (!same_file || gap > kLargestGapBytes || gap > gap_budget) {
      plan.ranges.push_back({.file = record.file,
                             .begin = record.offset,
                             .end = record.offset,
                             .place = plan.size_bytes,
                             .first = i,
                             .last = i});
      range = &plan.ranges.back();
    } else {
      gap_budget -= gap;
    }
    if (!again) {
      gap_budget += end - record.offset;
      plan.size_bytes += end - range->end;
      range->end = end;
    }
    range->last = i + 1;
    record.place = range->place + (record.offset - range->begin);
  }
  return plan;
}

// What the file says about the record must be what the index says.
absl::Status Verify(const ReadableFile& file, const WantedRecord& record,
                    const char* at) {
  const TfRecordPlace place = {
      .path = file.path(), .offset = record.offset, .record = record.number};
  const TfRecordHeader header = LoadTfRecordHeader(at);
  const std::string_view data(at + kTfRecordHeaderBytes, record.size_bytes);
  if (!header.valid()) return BadLengthChecksum(place, header, {});
  if (header.length != record.size_bytes) {
    return absl::DataLossError(fmt::format(
        "{}: record #{} at offset {} has {} bytes, but {} by its index; run: "
        "recordtool index {}",
        file.path(), record.number, record.offset, header.length,
        record.size_bytes, file.path()));
  }
  const uint32_t stored = LoadChecksum(data.data() + data.size());
  const uint32_t computed = MaskCrc32c(Crc32c(data));
  if (stored == computed) return absl::OkStatus();
  return BadDataChecksum(place, record.size_bytes, stored, computed);
}

absl::Status CutOff(const ReadableFile& file, const Range& range, size_t got) {
  return absl::DataLossError(fmt::format(
      "{}: file ends at offset {}, inside the records that its index names",
      file.path(), range.begin + got));
}

// Names ranges to the device before they are read, so that it works on many
// places at once.
class ReadAhead {
 public:
  ReadAhead(OpenFileCache& open, const Plan& plan) : open_(open), plan_(plan) {}

  absl::Status Until(size_t end) {
    for (; next_ < std::min(end, plan_.ranges.size()); ++next_) {
      const Range& range = plan_.ranges[next_];
      if (next_ == 0 || range.file != plan_.ranges[next_ - 1].file) {
        PENSTOCK_ASSIGN_OR_RETURN(file_, open_.Get(range.file));
      }
      file_->WillRead(range.begin, range.end - range.begin);
    }
    return absl::OkStatus();
  }

 private:
  OpenFileCache& open_;
  const Plan& plan_;
  size_t next_ = 0;
  std::shared_ptr<const ReadableFile> file_;
};

}  // namespace

absl::Status GatherRecords(OpenFileCache& open, std::span<WantedRecord> wanted,
                           GatheredRecords& out) {
  const Plan plan = MakePlan(wanted);
  out.records.resize(wanted.size());
  // Never made smaller: growing again would fill it with zeros again.
  if (out.bytes.size() < plan.size_bytes) out.bytes.resize(plan.size_bytes);
  ReadAhead ahead(open, plan);
  std::shared_ptr<const ReadableFile> file;
  for (size_t r = 0; r < plan.ranges.size(); ++r) {
    const Range& range = plan.ranges[r];
    PENSTOCK_RETURN_IF_ERROR(ahead.Until(r + kRangesAhead));
    if (r == 0 || range.file != plan.ranges[r - 1].file) {
      PENSTOCK_ASSIGN_OR_RETURN(file, open.Get(range.file));
    }
    const std::span<char> bytes(out.bytes.data() + range.place,
                                range.end - range.begin);
    PENSTOCK_ASSIGN_OR_RETURN(const size_t got,
                              file->ReadAt(range.begin, bytes));
    absl::Status status =
        got == bytes.size() ? absl::OkStatus() : CutOff(*file, range, got);
    for (size_t i = range.first; i < range.last && status.ok(); ++i) {
      const char* const at = out.bytes.data() + wanted[i].place;
      status = Verify(*file, wanted[i], at);
      out.records[wanted[i].slot] = {at + kTfRecordHeaderBytes,
                                     wanted[i].size_bytes};
    }
    if (!status.ok()) {
      // A file that was rewritten says so rather than that it is damaged.
      PENSTOCK_RETURN_IF_ERROR(open.CheckUnchanged(range.file));
      return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace penstock
