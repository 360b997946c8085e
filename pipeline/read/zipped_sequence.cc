#include "pipeline/read/zipped_sequence.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <string_view>
#include <utility>

#include "pipeline/graph/source_records.h"
#include "pipeline/graph/zip.h"
#include "pipeline/read/record_bytes.h"
#include "pipeline/tasks/cancelled.h"

namespace penstock {
namespace {

// Put together at once: enough that an Exchange() costs little of each.
constexpr uint64_t kZipBytes = 1 << 20;
constexpr size_t kZipRecords = 4096;

}  // namespace

struct ZippedSequence::Chunk {
  std::vector<SequenceRecord> of_sides;  // [records][sides]
  RecordBytes kept;
  std::vector<std::string> sent;  // [hosts]: what came from each
  uint64_t bytes = 0;
};

ZippedSequence::ZippedSequence(std::vector<ZipDataset> datasets, Group* group,
                               uint64_t max_record_bytes)
    : sides_([&] {
        std::vector<ZipSide> sides;
        sides.reserve(datasets.size());
        for (ZipDataset& one : datasets) sides.emplace_back(std::move(one));
        return sides;
      }()),
      places_(sides_),
      group_(group),
      max_record_bytes_(max_record_bytes) {}

Status ZippedSequence::StartAt(const SequenceStart& start) {
  records_.clear();
  taken_ = 0;
  PENSTOCK_ASSIGN_OR_RETURN(auto units, places_.Split(start.units));
  for (size_t s = 0; s < sides_.size(); ++s) {
    SequenceStart of_side = start;
    of_side.units = std::move(units[s]);
    PENSTOCK_RETURN_IF_ERROR(sides_[s].StartAt(std::move(of_side)));
  }
  return OkStatus();
}

uint64_t ZippedSequence::next_id() const {
  if (taken_ < records_.size()) return records_[taken_].id;
  uint64_t next = 0;
  for (const ZipSide& side : sides_) next = std::max(next, side.next_id());
  return next;
}

// Brings all sides to the same record: one may have passed over some that are
// not needed. False where all have ended.
StatusOr<bool> ZippedSequence::Align(const std::stop_token& stop) {
  uint64_t next = next_id();
  size_t ended = 0;
  for (bool moved = true; moved;) {
    moved = false;
    ended = 0;
    for (ZipSide& side : sides_) {
      PENSTOCK_ASSIGN_OR_RETURN(const bool more, side.GoTo(next, stop));
      if (!more) ++ended;
      if (side.next_id() <= next) continue;
      next = side.next_id();
      moved = true;
    }
  }
  if (ended == 0) return true;
  const bool all = std::ranges::all_of(
      sides_, [&](const ZipSide& side) { return side.next_id() == next; });
  if (ended < sides_.size() || !all) return CountAll(stop);
  if (next == 0) return NoRecordsToZip(sides_[0].dataset().name);
  return false;
}

// The error for sides that do not end together.
Status ZippedSequence::CountAll(const std::stop_token& stop) {
  for (ZipSide& side : sides_) {
    PENSTOCK_RETURN_IF_ERROR(side.GoTo(UINT64_MAX / 2, stop).status());
  }
  for (const ZipSide& side : sides_) {
    if (side.next_id() == 0) return NoRecordsToZip(side.dataset().name);
  }
  size_t s = 1;
  while (s + 1 < sides_.size() &&
         sides_[s].next_id() == sides_[s - 1].next_id()) {
    ++s;
  }
  return OtherNumbers(sides_[s - 1].dataset().name, sides_[s - 1].next_id(),
                      sides_[s].dataset().name, sides_[s].next_id());
}

StatusOr<bool> ZippedSequence::HasNext(const std::stop_token& stop) {
  if (taken_ < records_.size()) return true;
  PENSTOCK_RETURN_IF_ERROR(failed_);
  PENSTOCK_RETURN_IF_ERROR(ReadChunk(stop));
  if (!records_.empty()) return true;
  PENSTOCK_RETURN_IF_ERROR(failed_);
  return false;
}

StatusOr<std::optional<SequenceRecord>> ZippedSequence::Next(
    const std::stop_token& stop) {
  PENSTOCK_ASSIGN_OR_RETURN(const bool more, HasNext(stop));
  if (!more) return std::nullopt;
  return std::optional<SequenceRecord>(records_[taken_++]);
}

// Records that were read before one of them fails come first.
Status ZippedSequence::ReadChunk(const std::stop_token& stop) {
  records_.clear();
  taken_ = 0;
  Chunk chunk;
  while (records_.size() < kZipRecords && chunk.bytes < kZipBytes) {
    const StatusOr<bool> more = Align(stop);
    if (stop.stop_requested()) return PipelineCancelled();
    if (!more.ok()) failed_ = more.status();
    if (!more.ok() || !*more) break;
    PENSTOCK_RETURN_IF_ERROR(Add(chunk, stop));
    // Whoever takes it says so.
    if (records_.back().size_bytes > max_record_bytes_) break;
  }
  if (group_ != nullptr) PENSTOCK_RETURN_IF_ERROR(Send(chunk));
  return Join(chunk);
}

// Reads the next record of all sides.
Status ZippedSequence::Add(Chunk& chunk, const std::stop_token& stop) {
  SequenceRecord& record = records_.emplace_back();
  record.id = sides_[0].next_id();
  record.size_bytes = sides_.size() * kZipBytesOfSide;
  const size_t first = chunk.of_sides.size();
  for (ZipSide& side : sides_) {
    PENSTOCK_ASSIGN_OR_RETURN(SequenceRecord one, side.Next(stop));
    record.size_bytes += one.size_bytes;
    if (record.host == kAnyHost) record.host = one.host;
    const bool fits = record.size_bytes <= max_record_bytes_;
    one.bytes = fits ? chunk.kept.Add(one.bytes) : std::string_view();
    chunk.of_sides.push_back(one);
  }
  if (record.size_bytes > max_record_bytes_) {
    // Its size alone is told.
    for (size_t i = first; i < chunk.of_sides.size(); ++i) {
      chunk.of_sides[i] = {};
    }
    return OkStatus();
  }
  chunk.bytes += record.size_bytes;
  return OkStatus();
}

// Sends what this host has of records that others decode, and takes what they
// have of its own.
Status ZippedSequence::Send(Chunk& chunk) {
  std::vector<std::string> to(group_->hosts());
  bool any = false;
  const auto for_sent = [&](const auto& take) {
    for (size_t i = 0; i < chunk.of_sides.size(); ++i) {
      SequenceRecord& one = chunk.of_sides[i];
      const uint32_t decodes = records_[i / sides_.size()].host;
      if (one.host == kAnyHost || one.host == decodes) continue;
      if (one.size_bytes > 0) take(one, decodes);
    }
  };
  for_sent([&](SequenceRecord& one, uint32_t decodes) {
    any = true;
    if (one.host == group_->host()) to[decodes].append(one.bytes);
  });
  if (!any) return OkStatus();  // all hosts see that
  const auto begin = std::chrono::steady_clock::now();
  PENSTOCK_ASSIGN_OR_RETURN(chunk.sent, group_->Exchange(std::move(to)));
  waited_ns_ += (std::chrono::steady_clock::now() - begin).count();
  std::vector<std::string_view> left(chunk.sent.begin(), chunk.sent.end());
  bool cut = false;
  for_sent([&](SequenceRecord& one, uint32_t decodes) {
    if (decodes != group_->host()) return;
    std::string_view& from = left[one.host];
    cut = cut || from.size() < one.size_bytes;
    one.bytes = from.substr(0, one.size_bytes);
    from.remove_prefix(one.bytes.size());
  });
  if (!cut) return OkStatus();
  return InternalError("records that hosts send to be zipped are cut off");
}

Status ZippedSequence::Join(Chunk& chunk) {
  std::vector<GatheredRecords> gathered(sides_.size());
  std::vector<uint64_t> ids;
  for (size_t s = 0; s < sides_.size(); ++s) {
    const ZipDataset& dataset = sides_[s].dataset();
    if (dataset.numbered == nullptr) continue;
    ids.clear();
    for (const SequenceRecord& record : records_) {
      if (Joins(record)) ids.push_back(record.id + dataset.part.begin);
    }
    PENSTOCK_RETURN_IF_ERROR(dataset.numbered->Gather(ids, gathered[s]));
  }
  // So that records stay where they are.
  uint64_t bytes = 0;
  for (const SequenceRecord& record : records_) {
    if (!Joins(record)) continue;
    bytes += record.size_bytes;
  }
  joined_.clear();
  joined_.reserve(bytes);
  std::vector<std::string_view> sides(sides_.size());
  size_t number = 0;  // of those that are put together
  for (size_t i = 0; i < records_.size(); ++i) {
    if (!Joins(records_[i])) continue;
    for (size_t s = 0; s < sides.size(); ++s) {
      sides[s] = gathered[s].records.empty()
                     ? chunk.of_sides[i * sides.size() + s].bytes
                     : gathered[s].records[number];
    }
    ++number;
    const size_t begin = joined_.size();
    JoinSides(sides, joined_);
    records_[i].bytes = std::string_view(joined_).substr(begin);
  }
  return OkStatus();
}

Status ZippedSequence::CauseOf(const Status& error) {
  for (const ZipSide& side : sides_) {
    if (side.sequence() == nullptr) continue;
    Status cause = side.sequence()->CauseOf(error);
    if (cause != error) return cause;
  }
  return error;
}

uint64_t ZippedSequence::records_read() const {
  uint64_t most = 0;
  for (const ZipSide& side : sides_) {
    if (side.sequence() == nullptr) continue;
    most = std::max(most, side.sequence()->records_read());
  }
  return most;
}

int64_t ZippedSequence::waited_ns() const {
  int64_t waited = waited_ns_;
  for (const ZipSide& side : sides_) {
    if (side.sequence() != nullptr) waited += side.sequence()->waited_ns();
  }
  return waited;
}

uint64_t ZippedSequence::BufferBytes() const {
  const uint64_t chunk = kZipBytes + max_record_bytes_;
  // As they are kept, by number, put together, and, from other hosts, sent and
  // received.
  uint64_t bytes = chunk + chunk / 4 + (1 << 20) + 2 * chunk;
  if (group_ != nullptr) bytes += 3 * chunk;
  // What is said of each, in tables that grow by doubling.
  bytes += kZipRecords * (sides_.size() + 1) * 3 * sizeof(SequenceRecord);
  for (const ZipSide& side : sides_) {
    if (side.sequence() != nullptr) bytes += side.sequence()->BufferBytes();
  }
  return bytes;
}

}  // namespace penstock
