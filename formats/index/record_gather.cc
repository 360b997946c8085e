#include "formats/index/record_gather.h"

#include <fmt/format.h>

#include <deque>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "formats/tfrecord/tfrecord_errors.h"
#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock {
namespace {

// Reading a gap this long costs about what another call does.
constexpr uint64_t kLargestGapBytes = 16 << 10;
// All gaps together may be as long as the records and this.
constexpr uint64_t kSpareGapBytes = 1 << 20;
// Reading what is in memory around a record costs about what reading a few
// records there does, each by a call of its own.
constexpr uint64_t kAroundBytes = 64 << 10;
// Enough to keep a flash device busy.
constexpr size_t kMostAwaited = 64;

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
  size_t end = 0;  // in memory
};

// Sets the places of `wanted`; ranges begin at `begin` in memory.
Plan MakePlan(std::span<WantedRecord> wanted, size_t begin) {
  Plan plan;
  plan.end = begin;
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
                             .place = plan.end,
                             .first = i,
                             .last = i});
      range = &plan.ranges.back();
    } else {
      gap_budget -= gap;
    }
    if (!again) {
      gap_budget += end - record.offset;
      plan.end += end - range->end;
      range->end = end;
    }
    range->last = i + 1;
    record.place =
        range->place + (record.offset - range->begin) + kTfRecordHeaderBytes;
  }
  return plan;
}

// What the file says about the record must be what the index says.
Status Verify(const ReadableFile& file, const WantedRecord& record,
              const char* at) {
  const TfRecordPlace place = {
      .path = file.path(), .offset = record.offset, .record = record.number};
  const TfRecordHeader header = LoadTfRecordHeader(at);
  const std::string_view data(at + kTfRecordHeaderBytes, record.size_bytes);
  if (!header.valid()) return BadLengthChecksum(place, header, {});
  if (header.length != record.size_bytes) {
    return DataLossError(fmt::format(
        "{}: record #{} at offset {} has {} bytes, but {} by its index; run: "
        "recordtool index {}",
        file.path(), record.number, record.offset, header.length,
        record.size_bytes, file.path()));
  }
  const uint32_t stored = LoadChecksum(data.data() + data.size());
  const uint32_t computed = MaskCrc32c(Crc32c(data));
  if (stored == computed) return OkStatus();
  return BadDataChecksum(place, record.size_bytes, stored, computed);
}

Status CutOff(const ReadableFile& file, const Range& range, size_t got) {
  return DataLossError(fmt::format(
      "{}: file ends at offset {}, inside the records that its index names",
      file.path(), range.begin + got));
}

// What is in memory already is taken at once. For the rest the device is told
// of many places before the first of them is waited for.
class RangeReader {
 public:
  RangeReader(OpenFileCache& open, WarmFiles& warm,
              std::span<const WantedRecord> wanted, char* bytes)
      : open_(open), warm_(warm), wanted_(wanted), bytes_(bytes) {}

  Status Read(const Range& range) {
    if (file_ == nullptr || range.file != file_number_) {
      PENSTOCK_ASSIGN_OR_RETURN(file_, open_.Get(range.file));
      file_number_ = range.file;
    }
    const size_t got = file_->ReadCached(range.begin, BytesOf(range));
    if (got == range.end - range.begin) {
      PENSTOCK_RETURN_IF_ERROR(Finish(*file_, range, got));
      LookAround(range);
      return OkStatus();
    }
    file_->WillRead(range.begin + got, range.end - range.begin - got);
    awaited_.push_back({&range, got, file_});
    return awaited_.size() > kMostAwaited ? ReadOldest() : OkStatus();
  }

  Status ReadRest() {
    while (!awaited_.empty()) PENSTOCK_RETURN_IF_ERROR(ReadOldest());
    return OkStatus();
  }

 private:
  struct Awaited {
    const Range* range;
    size_t got;
    std::shared_ptr<const ReadableFile> file;
  };

  std::span<char> BytesOf(const Range& range) const {
    return {bytes_ + range.place, range.end - range.begin};
  }

  // Where the system has a record in memory it likely has its neighbours: with
  // one call they are known to be warm.
  void LookAround(const Range& range) {
    const bool is_mapped =
        warm_.Find(range.file, range.begin, range.end) != nullptr;
    if (!is_mapped || range.end - range.begin >= kAroundBytes) return;
    const uint64_t begin = range.begin / kAroundBytes * kAroundBytes;
    if (around_ == nullptr) {
      around_ = std::make_unique_for_overwrite<char[]>(kAroundBytes);
    }
    const size_t got = file_->ReadCached(begin, {around_.get(), kAroundBytes});
    if (got > 0) warm_.WasRead(range.file, *file_, begin, begin + got);
  }

  Status ReadOldest() {
    const auto [range, got, file] = std::move(awaited_.front());
    awaited_.pop_front();
    PENSTOCK_ASSIGN_OR_RETURN(
        const size_t more,
        file->ReadAt(range->begin + got, BytesOf(*range).subspan(got)));
    return Finish(*file, *range, got + more);
  }

  Status Finish(const ReadableFile& file, const Range& range, size_t got) {
    Status status =
        got == range.end - range.begin ? OkStatus() : CutOff(file, range, got);
    for (size_t i = range.first; i < range.last && status.ok(); ++i) {
      status = Verify(file, wanted_[i],
                      bytes_ + wanted_[i].place - kTfRecordHeaderBytes);
    }
    if (status.ok()) {
      warm_.WasRead(range.file, file, range.begin, range.end);
      return status;
    }
    // A file that was rewritten says so rather than that it is damaged.
    PENSTOCK_RETURN_IF_ERROR(open_.CheckUnchanged(range.file));
    return status;
  }

  OpenFileCache& open_;
  WarmFiles& warm_;
  const std::span<const WantedRecord> wanted_;
  char* const bytes_;
  std::shared_ptr<const ReadableFile> file_;
  size_t file_number_ = 0;
  std::deque<Awaited> awaited_;
  std::unique_ptr<char[]> around_;  // what was read to be known as warm
};

}  // namespace

Status GatherRecords(OpenFileCache& open, WarmFiles& warm,
                     std::span<WantedRecord> wanted, std::vector<char>& bytes,
                     size_t& end) {
  const Plan plan = MakePlan(wanted, end);
  if (bytes.size() < plan.end) bytes.resize(plan.end);
  end = plan.end;
  RangeReader reader(open, warm, wanted, bytes.data());
  for (const Range& range : plan.ranges) {
    PENSTOCK_RETURN_IF_ERROR(reader.Read(range));
  }
  return reader.ReadRest();
}

}  // namespace penstock
