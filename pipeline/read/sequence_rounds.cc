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
  SequenceRounds(std::unique_ptr<Sequence> sequence, SequenceOptions options)
      : options_(std::move(options)),
        cursor_(std::move(sequence), options_.records) {}

  Status Seek(const State& state) override;
  StatusOr<std::optional<Round>> Next(const std::stop_token& stop) override;
  StatusOr<bool> Load(const Round& round, size_t begin,
                      std::span<const uint64_t> ids, uint64_t limit_bytes,
                      bool alone, LoadScratch& scratch,
                      std::vector<std::string_view>& records) const override;
  std::string Locate(uint64_t record_id) const override {
    return cursor_.sequence().places().Locate(record_id);
  }
  std::vector<UnitPlace> UnitsOf(const State& state) const override;
  uint64_t NextBytes() const override;
  uint64_t records_read() const override {
    return cursor_.sequence().records_read();
  }
  uint64_t BufferBytes() const override {
    return cursor_.WindowBytes() + cursor_.sequence().BufferBytes();
  }
  bool meets() const override { return cursor_.sequence().meets(); }
  Status CauseOf(const Status& error) override {
    return cursor_.CauseOf(error);
  }
  int64_t waited_ns() const override { return cursor_.sequence().waited_ns(); }

 private:
  // The order goes on in the files from here.
  uint64_t GoesOnAt(const State& state) const {
    return cursor_.shuffles() ? state.window_begin : state.position;
  }

  // Of a round's records; where hosts go on alike, of the host that has most.
  uint64_t BytesOf(const RecordBytes& mine, const ShareDealer& dealer) const {
    return meets() ? dealer.most_bytes() : mine.size_bytes();
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
  SequenceStart start = {.epoch = epoch_, .end = GoesOnAt(state)};
  for (const uint64_t id : held_) {
    if (id < start.end) start.needed.push_back(id);
  }
  const uint64_t first =
      start.needed.empty() ? start.end : start.needed.front();
  start.units =
      cursor_.sequence().places().Needed(state.units, first, start.end);
  return cursor_.StartAt(start);
}

// Some of the rows that wait in the state, as they come. They lie before the
// window of the state, or its position, or in that window.
StatusOr<Round> SequenceRounds::NextHeld(const std::stop_token& stop) {
  const uint64_t end = GoesOnAt(state_);
  Round round;
  round.epoch = epoch_;
  round.held = true;
  const auto memory = std::make_shared<RecordBytes>();
  ShareDealer dealer(options_.rounds, 0, round);
  while (!dealer.full() && !held_.empty()) {
    if (stop.stop_requested()) return PipelineCancelled();
    PENSTOCK_ASSIGN_OR_RETURN(const bool before, cursor_.IsBefore(end, stop));
    if (!before) break;
    PENSTOCK_ASSIGN_OR_RETURN(const auto record, cursor_.Read(stop));
    if (!record || held_.erase(record->id) == 0) continue;
    if (dealer.Deal(*record)) round.raw.push_back(memory->Add(record->bytes));
  }
  if (cursor_.shuffles() && cursor_.sequence().next_id() == end &&
      !held_.empty() && !dealer.full()) {
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
    const SequenceRecord record = window.Find(id);
    if (dealer.Deal(record)) round.raw.push_back(memory->Add(record.bytes));
  }
  round.memory_bytes = BytesOf(*memory, dealer);
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
    if (dealer.Deal(*record)) {
      round.raw.push_back(cursor_.shuffles() ? record->bytes
                                             : copied->Add(record->bytes));
    }
    cursor_.Pass();
  }
  round.window_begin = cursor_.shuffles() ? cursor_.window().begin() : 0;
  if (cursor_.shuffles()) {
    round.memory = cursor_.window().memory();
  } else {
    round.memory_bytes = BytesOf(*copied, dealer);
    round.memory = copied;
  }
  if (round.ends_epoch) {
    PENSTOCK_RETURN_IF_ERROR(EndEpoch());
  } else if (!cursor_.shuffles()) {
    // So that UnitsOf() knows where the next record lies. An error comes again.
    (void)cursor_.IsBefore(UINT64_MAX, stop);
  }
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
  return cursor_.StartAt({.epoch = epoch_});
}

StatusOr<bool> SequenceRounds::Load(
    const Round& round, size_t begin, std::span<const uint64_t> ids,
    uint64_t limit_bytes, bool alone, LoadScratch&,
    std::vector<std::string_view>& records) const {
  if (round.raw[begin].size() > limit_bytes && !alone) return false;
  records.clear();
  uint64_t bytes = 0;
  for (size_t i = begin; i < begin + ids.size(); ++i) {
    bytes += round.raw[i].size();
    if (bytes > limit_bytes && i > begin) break;
    records.push_back(round.raw[i]);
  }
  return true;
}

std::vector<UnitPlace> SequenceRounds::UnitsOf(const State& state) const {
  const uint64_t end = GoesOnAt(state);
  std::vector<uint64_t> needed;
  needed.reserve(state.held.size() + 1);
  for (const HeldPiece& piece : state.held) {
    if (piece.record < end) needed.push_back(piece.record);
  }
  needed.push_back(end);
  return cursor_.sequence().places().Of(needed);
}

uint64_t SequenceRounds::NextBytes() const {
  if (!cursor_.shuffles()) {
    return options_.rounds.raw_bytes + options_.rounds.max_record_bytes;
  }
  return cursor_.begins_window() ? cursor_.WindowBytes() : 0;
}

}  // namespace

std::unique_ptr<RoundSource> MakeSequenceRounds(
    std::unique_ptr<Sequence> sequence, SequenceOptions options) {
  return std::make_unique<SequenceRounds>(std::move(sequence),
                                          std::move(options));
}

}  // namespace penstock
