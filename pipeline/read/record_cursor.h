// The records of files at positions of an epoch: in their order, or in windows
// that come out permuted.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>

#include "formats/files/status_or.h"
#include "pipeline/order/order.h"
#include "pipeline/read/record_window.h"
#include "pipeline/read/sequence.h"

namespace penstock {

struct CursorOptions {
  // Windows of so many records, fewer where they have window_bytes, are held in
  // memory and come out permuted. Nullopt: records come in their order.
  std::optional<ShuffleKey> shuffle = std::nullopt;
  uint64_t window_records = 0;
  uint64_t window_bytes = 0;
  uint64_t max_record_bytes = 0;
};

// Memory:  that of a window, and of one record.
// Threads: one at a time; what sequence() says may be asked from any.
// Errors:  those of Sequence; kResourceExhausted for a record of more
//          than max_record_bytes; kCancelled.
class RecordCursor {
 public:
  RecordCursor(std::unique_ptr<Sequence> sequence, CursorOptions options);

  // See Sequence::StartAt().
  Status StartAt(const SequenceStart& start);
  // Goes on to a position of a state, whose window begins at `window_begin`.
  Status SkipTo(uint64_t position, uint64_t window_begin,
                const std::stop_token& stop);

  // The record at position(), nullopt at the epoch's end. Its bytes live until
  // Pass(); in a window, as long as the window's memory().
  StatusOr<std::optional<SequenceRecord>> Peek(const std::stop_token& stop);
  void Pass();
  uint64_t position() const { return position_; }

  // Past all order and windows: the next record of the files.
  StatusOr<std::optional<SequenceRecord>> Read(const std::stop_token& stop);
  Status CauseOf(const Status& error) { return sequence_->CauseOf(error); }
  // Whether the next of them is before record `end`.
  StatusOr<bool> IsBefore(uint64_t end, const std::stop_token& stop);
  // Fills a window with the next records of the files.
  Status LoadWindow(const std::stop_token& stop);

  bool shuffles() const { return options_.shuffle.has_value(); }
  // Whether the next record is the first of another window.
  bool begins_window() const { return shuffles() && window_.used_up(); }
  const RecordWindow& window() const { return window_; }
  const Sequence& sequence() const { return *sequence_; }
  // Of a window, at most.
  uint64_t WindowBytes() const;

 private:
  const CursorOptions options_;
  const std::unique_ptr<Sequence> sequence_;
  uint64_t epoch_ = 0;
  uint64_t position_ = 0;
  RecordWindow window_;  // of shuffled records
  std::optional<SequenceRecord> peeked_;
};

}  // namespace penstock
