#include "pipeline/read/record_cursor.h"

#include <fmt/format.h>

#include <utility>

#include "pipeline/read/rounds.h"
#include "pipeline/tasks/cancelled.h"

namespace penstock {

RecordCursor::RecordCursor(FileSystem& files, std::vector<std::string> paths,
                           OpenOptions open, CursorOptions options)
    : options_(options), sequence_(files, std::move(paths), std::move(open)) {}

Status RecordCursor::StartAt(uint64_t epoch, UnitPlace place) {
  epoch_ = epoch;
  position_ = 0;
  window_.Clear(0);
  peeked_.reset();
  return sequence_.StartAt(place);
}

StatusOr<std::optional<std::string_view>> RecordCursor::Read() {
  PENSTOCK_ASSIGN_OR_RETURN(const auto record, sequence_.Next());
  if (!record || record->size() <= options_.max_record_bytes) return record;
  return RecordTooLarge(sequence_.Locate(sequence_.next_id() - 1),
                        record->size(), options_.max_record_bytes);
}

Status RecordCursor::LoadWindow(const std::stop_token& stop) {
  window_.Clear(sequence_.next_id());
  while (window_.size() < options_.window_records &&
         window_.held_bytes() < options_.window_bytes) {
    if (stop.stop_requested()) return PipelineCancelled();
    PENSTOCK_ASSIGN_OR_RETURN(const auto record, Read());
    if (!record) break;
    window_.Add(*record);
  }
  window_.Close(*options_.shuffle, epoch_);
  return OkStatus();
}

StatusOr<std::optional<RecordCursor::Record>> RecordCursor::Peek(
    const std::stop_token& stop) {
  if (peeked_) return peeked_;
  if (!shuffles()) {
    PENSTOCK_ASSIGN_OR_RETURN(const auto record, Read());
    if (record) peeked_ = {sequence_.next_id() - 1, *record};
    return peeked_;
  }
  if (window_.used_up()) {
    PENSTOCK_RETURN_IF_ERROR(LoadWindow(stop));
    if (window_.used_up()) return std::nullopt;
  }
  peeked_ = {window_.next_id(), window_.next()};
  return peeked_;
}

void RecordCursor::Pass() {
  peeked_.reset();
  ++position_;
  if (shuffles()) window_.Skip(1);
}

Status RecordCursor::SkipTo(uint64_t position, uint64_t window_begin,
                            const std::stop_token& stop) {
  const uint64_t end = shuffles() ? window_begin : position;
  while (sequence_.next_id() < end) {
    if (stop.stop_requested()) return PipelineCancelled();
    PENSTOCK_ASSIGN_OR_RETURN(const auto record, sequence_.Next());
    if (!record) {
      return FailedPreconditionError(
          fmt::format("the state has read {} records of an epoch that has {}",
                      end, sequence_.next_id()));
    }
  }
  position_ = position;
  if (!shuffles()) return OkStatus();
  if (window_.size() == 0) PENSTOCK_RETURN_IF_ERROR(LoadWindow(stop));
  const uint64_t used = position - window_begin;
  if (used > window_.size()) {
    return FailedPreconditionError(
        fmt::format("the state has taken {} records of a window that has {}",
                    used, window_.size()));
  }
  window_.Skip(used);
  return OkStatus();
}

uint64_t RecordCursor::WindowBytes() const {
  if (!shuffles()) return 0;
  const uint64_t held = options_.window_bytes + options_.max_record_bytes;
  return held + held / 4 + (1 << 20);
}

}  // namespace penstock
