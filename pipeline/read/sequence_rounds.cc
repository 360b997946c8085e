#include "pipeline/read/sequence_rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "formats/files/status_or.h"
#include "pipeline/read/record_bytes.h"
#include "pipeline/read/share_dealer.h"
#include "pipeline/tasks/cancelled.h"

namespace penstock {
namespace {

class SequenceRounds final : public RoundSource {
 public:
  SequenceRounds(FileSystem& files, std::vector<std::string> paths,
                 OpenOptions open, SequenceOptions options)
      : options_(std::move(options)),
        cursor_(files, std::move(paths), std::move(open), options_.records) {}

  Status Seek(const State& state) override;
  StatusOr<std::optional<Round>> Next(const std::stop_token& stop) override;
  StatusOr<bool> Load(const Round& round, size_t begin, uint64_t limit_bytes,
                      bool alone, GatheredRecords& scratch,
                      std::vector<std::string_view>& records) const override;
  std::string Locate(uint64_t record_id) const override {
    return cursor_.sequence().Locate(record_id);
  }
  std::vector<UnitPlace> UnitsOf(const State& state) const override;
  uint64_t NextBytes() const override;
  uint64_t records_read() const override {
    return cursor_.sequence().records_read();
  }
  uint64_t BufferBytes() const override { return cursor_.WindowBytes(); }

 private:
  // The first record that a run needs that goes on from `state`.
  uint64_t FirstNeeded(const State& state) const {
    uint64_t first = cursor_.shuffles() ? state.window_begin : state.position;
    for (const HeldPiece& piece : state.held) {
      first = std::min(first, piece.record);
    }
    return first;
  }

  StatusOr<Round> NextHeld(const std::stop_token& stop);
  Status EndEpoch();

  const SequenceOptions options_;
  RecordCursor cursor_;
  uint64_t epoch_ = 0;
  std::optional<uint64_t> records_;  // of an epoch, once one has ended

  // Until the run is where its state was.
  State state_;
  std::set<uint64_t> held_;  // ids that are still to be read
};

Status SequenceRounds::Seek(const State& state) {
  state_ = state;
  for (const HeldPiece& piece : state.held) {
    if (piece.record >= state.position && !cursor_.shuffles()) {
      return FailedPreconditionError(
          fmt::format("record {} waits in the state, which has taken only {}",
                      piece.record, state.position));
    }
    held_.insert(piece.record);
  }
  if (state.window_begin > state.position) {
    return FailedPreconditionError(
        "the window of the state begins behind its position");
  }
  epoch_ = state.epoch;
  UnitPlace start;
  const uint64_t first = FirstNeeded(state);
  for (const UnitPlace& place : state.units) {
    if (place.first_record <= first &&
        place.first_record >= start.first_record) {
      start = place;
    }
  }
  return cursor_.StartAt(epoch_, start);
}

// Some of the rows that wait in the state, as they come. They lie before the
// window of the state, or its position, or in that window.
StatusOr<Round> SequenceRounds::NextHeld(const std::stop_token& stop) {
  const uint64_t end =
      cursor_.shuffles() ? state_.window_begin : state_.position;
  Round round;
  round.epoch = epoch_;
  round.held = true;
  const auto memory = std::make_shared<RecordBytes>();
  ShareDealer dealer(options_.rounds, 0, round);
  while (!dealer.full() && !held_.empty() &&
         cursor_.sequence().next_id() < end) {
    if (stop.stop_requested()) return PipelineCancelled();
    const uint64_t id = cursor_.sequence().next_id();
    PENSTOCK_ASSIGN_OR_RETURN(const auto record, cursor_.Read());
    if (!record) break;
    if (held_.erase(id) == 0) continue;
    if (dealer.Deal(id, record->size())) {
      round.raw.push_back(memory->Add(*record));
    }
  }
  if (cursor_.shuffles() && cursor_.sequence().next_id() == end &&
      !held_.empty()) {
    // The others lie in the window, which the run goes on in.
    PENSTOCK_RETURN_IF_ERROR(cursor_.LoadWindow(stop));
  }
  const RecordWindow& window = cursor_.window();
  while (!dealer.full() && !held_.empty() && window.size() > 0) {
    const uint64_t id = *held_.begin();
    if (id < window.begin() || id >= window.begin() + window.size()) {
      return FailedPreconditionError(
          fmt::format("record {} waits in the state, but the run cannot have "
                      "read it by then",
                      id));
    }
    held_.erase(id);
    if (dealer.Deal(id, window.BytesOf(id).size())) {
      round.raw.push_back(memory->Add(window.BytesOf(id)));
    }
  }
  round.memory_bytes = memory->size_bytes();
  round.memory = memory;
  if (!round.records.empty()) return round;
  return FailedPreconditionError(
      "rows wait in the state that the files do not have");
}

StatusOr<std::optional<Round>> SequenceRounds::Next(
    const std::stop_token& stop) {
  if (options_.rounds.epochs != 0 && epoch_ >= options_.rounds.epochs) {
    return std::nullopt;
  }
  if (!held_.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(Round round, NextHeld(stop));
    return std::optional<Round>(std::move(round));
  }
  if (state_.position > 0) {
    const State state = std::exchange(state_, {});
    PENSTOCK_RETURN_IF_ERROR(
        cursor_.SkipTo(state.position, state.window_begin, stop));
  }
  Round round;
  round.epoch = epoch_;
  // Shuffled records stay where they are, in the window.
  const auto copied = std::make_shared<RecordBytes>();
  ShareDealer dealer(options_.rounds, cursor_.position(), round);
  while (!dealer.full()) {
    if (stop.stop_requested()) return PipelineCancelled();
    const bool begins_window = cursor_.begins_window();
    if (begins_window && !round.records.empty()) break;
    PENSTOCK_ASSIGN_OR_RETURN(const auto record, cursor_.Peek(stop));
    if (!record) {
      round.ends_epoch = true;
      break;
    }
    if (begins_window) round.memory_bytes = cursor_.window().held_bytes();
    if (dealer.Deal(record->id, record->bytes.size())) {
      round.raw.push_back(cursor_.shuffles() ? record->bytes
                                             : copied->Add(record->bytes));
    }
    cursor_.Pass();
  }
  round.window_begin = cursor_.shuffles() ? cursor_.window().begin() : 0;
  if (cursor_.shuffles()) {
    round.memory = cursor_.window().memory();
  } else {
    round.memory_bytes = copied->size_bytes();
    round.memory = copied;
  }
  if (round.ends_epoch) PENSTOCK_RETURN_IF_ERROR(EndEpoch());
  return std::optional<Round>(std::move(round));
}

Status SequenceRounds::EndEpoch() {
  if (records_ && *records_ != cursor_.position()) {
    return FailedPreconditionError(fmt::format(
        "the files changed: epoch {} has {} records, the one before had {}",
        epoch_, cursor_.position(), *records_));
  }
  records_ = cursor_.position();
  ++epoch_;
  return cursor_.StartAt(epoch_, {});
}

StatusOr<bool> SequenceRounds::Load(
    const Round& round, size_t begin, uint64_t limit_bytes, bool alone,
    GatheredRecords&, std::vector<std::string_view>& records) const {
  if (round.raw[begin].size() > limit_bytes && !alone) return false;
  records.clear();
  uint64_t bytes = 0;
  for (size_t i = begin; i < round.raw.size(); ++i) {
    bytes += round.raw[i].size();
    if (bytes > limit_bytes && i > begin) break;
    records.push_back(round.raw[i]);
  }
  return true;
}

std::vector<UnitPlace> SequenceRounds::UnitsOf(const State& state) const {
  return {cursor_.sequence().PlaceOf(FirstNeeded(state))};
}

uint64_t SequenceRounds::NextBytes() const {
  if (!cursor_.shuffles()) {
    return options_.rounds.raw_bytes + options_.rounds.max_record_bytes;
  }
  return cursor_.begins_window() ? BufferBytes() : 0;
}

}  // namespace

std::unique_ptr<RoundSource> MakeSequenceRounds(FileSystem& files,
                                                std::vector<std::string> paths,
                                                OpenOptions open,
                                                SequenceOptions options) {
  return std::make_unique<SequenceRounds>(files, std::move(paths),
                                          std::move(open), std::move(options));
}

}  // namespace penstock
