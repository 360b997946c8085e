#include "pipeline/read/record_cursor.h"

#include <fmt/format.h>

#include <utility>

#include "pipeline/read/rounds.h"
#include "pipeline/tasks/cancelled.h"

namespace penstock {

RecordCursor::RecordCursor(std::unique_ptr<Sequence> sequence,
                           CursorOptions options)
    : options_(options), sequence_(std::move(sequence)) {}

Status RecordCursor::StartAt(const SequenceStart& start) {
  epoch_ = start.epoch;
  position_ = 0;
  window_.Clear(0);
  peeked_.reset();
  return sequence_->StartAt(start);
}

StatusOr<std::optional<SequenceRecord>> RecordCursor::Read(
    const std::stop_token& stop) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto record, sequence_->Next(stop));
  if (!record || record->size_bytes <= options_.max_record_bytes) return record;
  return RecordTooLarge(sequence_->places().Locate(record->id),
                        record->size_bytes, options_.max_record_bytes);
}

StatusOr<bool> RecordCursor::IsBefore(uint64_t end,
                                      const std::stop_token& stop) {
  if (sequence_->next_id() >= end) return false;
  PENSTOCK_ASSIGN_OR_RETURN(const bool more, sequence_->HasNext(stop));
  return more && sequence_->next_id() < end;
}

Status RecordCursor::LoadWindow(const std::stop_token& stop) {
  window_.Clear(sequence_->next_id());
  while (window_.size() < options_.window_records &&
         window_.held_bytes() < options_.window_bytes) {
    if (stop.stop_requested()) return PipelineCancelled();
    PENSTOCK_ASSIGN_OR_RETURN(const auto record, Read(stop));
    if (!record) break;
    window_.Add(*record);
  }
  window_.Close(*options_.shuffle, epoch_);
  return OkStatus();
}

StatusOr<std::optional<SequenceRecord>> RecordCursor::Peek(
    const std::stop_token& stop) {
  if (peeked_) return peeked_;
  if (!shuffles()) {
    PENSTOCK_ASSIGN_OR_RETURN(peeked_, Read(stop));
    return peeked_;
  }
  if (window_.used_up()) {
    PENSTOCK_RETURN_IF_ERROR(LoadWindow(stop));
    if (window_.used_up()) return std::nullopt;
  }
  peeked_ = window_.next();
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
  for (;;) {
    if (stop.stop_requested()) return PipelineCancelled();
    PENSTOCK_ASSIGN_OR_RETURN(const bool before, IsBefore(end, stop));
    if (!before) break;
    PENSTOCK_RETURN_IF_ERROR(sequence_->Next(stop).status());
  }
  if (sequence_->next_id() < end) {
    return FailedPreconditionError(
        fmt::format("the state has read {} records of an epoch that has {}",
                    end, sequence_->next_id()));
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
  // A record has 24 bytes of what is held, and who decodes it 4.
  const uint64_t hosts = sequence_->meets() ? held / 3 : 0;
  return held + held / 4 + (1 << 20) + hosts;
}

}  // namespace penstock
