#include "pipeline/read/waiting_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace penstock {

State InRecords(const State& state, RowIds ids) {
  State in = {.epoch = state.epoch,
              .position = state.position,
              .window_begin = state.window_begin,
              .units = state.units};
  std::vector<HeldPiece> held;
  std::vector<uint64_t> rows;
  rows.reserve(state.held.size());
  for (const HeldPiece& piece : state.held) rows.push_back(piece.record);
  std::ranges::sort(rows);
  size_t times = 0;  // that a row of the record waits, at most
  for (size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    while (end < rows.size() && rows[end] == rows[begin]) ++end;
    times = std::max(times, end - begin);
    const uint64_t record = ids.RecordOf(rows[begin]);
    if (end < rows.size() && ids.RecordOf(rows[end]) == record) continue;
    held.insert(held.end(), std::exchange(times, 0), {.record = record});
  }
  for (const HeldPiece& row : state.ahead) {
    held.push_back({.record = ids.RecordOf(row.record)});
  }
  in.held = std::move(held);
  return in;
}

WaitingRows::WaitingRows(State state, RowIds ids)
    : state_(std::move(state)), ids_(ids) {
  if (!state_.ahead.empty()) ahead_begin_ = state_.ahead.front().record;
  for (const HeldPiece& piece : state_.held) ++wanted_[piece.record];
}

Waits WaitingRows::HowWaits(uint64_t id) {
  if (ahead_begin_ && ids_.RecordOf(id) == ids_.RecordOf(*ahead_begin_)) {
    if (ids_.NumberOf(id) == 0) ++times_read_;
    if (times_read_ == 1 && id >= *ahead_begin_) return Waits::kAhead;
  }
  const auto wanted = wanted_.find(id);
  if (wanted == wanted_.end() || wanted->second == 0) return Waits::kNot;
  --wanted->second;
  return Waits::kHeld;
}

std::vector<Waits> WaitingRows::Find(std::span<const Row> rows) {
  std::vector<Waits> found;
  found.reserve(rows.size());
  for (const Row& row : rows) found.push_back(HowWaits(row.record));
  return found;
}

void WaitingRows::Add(const Row& row, Waits how) {
  if (how == Waits::kAhead) ahead_.push_back(row);
  if (how == Waits::kHeld) held_.emplace(row.record, row);
}

Status WaitingRows::NotRead(uint64_t id) const {
  return FailedPreconditionError(fmt::format(
      "record {} waits in the state, but it was not read", ids_.RecordOf(id)));
}

StatusOr<std::vector<Row>> WaitingRows::Held() {
  std::vector<Row> rows;
  rows.reserve(state_.held.size());
  for (const HeldPiece& piece : state_.held) {
    const auto [row, behind] = held_.equal_range(piece.record);
    if (row == behind) return NotRead(piece.record);
    rows.push_back(row->second);
    // Pieces of one row have it in common.
    if (std::next(row) != behind) held_.erase(row);
  }
  return rows;
}

StatusOr<std::vector<Row>> WaitingRows::Ahead() {
  if (ahead_begin_ &&
      (ahead_.empty() || ahead_.front().record != *ahead_begin_)) {
    return NotRead(*ahead_begin_);
  }
  return std::move(ahead_);
}

}  // namespace penstock
