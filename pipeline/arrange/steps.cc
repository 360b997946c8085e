#include "pipeline/arrange/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace penstock {

Status CheckPosition(const State& state, uint64_t records) {
  if (state.position <= records) return OkStatus();
  return FailedPreconditionError(
      fmt::format("the state has taken {} records of an epoch that has {}",
                  state.position, records));
}

bool StepOptions::Carries() const {
  return leftover == Leftover::kCarry ||
         std::ranges::find(leftovers, Leftover::kCarry) != leftovers.end();
}

Steps::Steps(std::unique_ptr<Arranger> arranger, StepOptions options)
    : arranger_(std::move(arranger)), options_(std::move(options)) {
  now_.graph = options_.graph;
}

StepResult Steps::Add(std::span<const Row>& rows, Step& out) {
  const Arranged arranged = arranger_->Add(rows, out.assignment);
  Pass(rows.first(arranged.taken), rows.subspan(arranged.taken));
  rows = rows.subspan(arranged.taken);
  return AfterAdd(arranged, out);
}

// A record counts with the first of its rows; where a step ends among these,
// the state says with which of them the run goes on.
void Steps::Pass(std::span<const Row> taken, std::span<const Row> left) {
  const RowIds& ids = options_.row_ids;
  if (ids.most_rows == 1) {
    now_.position += taken.size();
    return;
  }
  now_.position += static_cast<uint64_t>(std::ranges::count_if(
      taken, [&](const Row& row) { return ids.NumberOf(row.record) == 0; }));
  now_.ahead.clear();
  if (!left.empty() && ids.NumberOf(left.front().record) > 0) {
    now_.ahead.push_back({.record = left.front().record});
  }
}

StepResult Steps::AfterAdd(const Arranged& arranged, Step& out) {
  if (arranged.too_long) return StepResult::kTooLong;
  if (!arranged.due) return StepResult::kWantsRows;
  MakeStep(out);
  return StepResult::kStep;
}

StepResult Steps::AddAhead(std::span<const Row>& rows, Step& out) {
  const Arranged arranged = arranger_->Add(rows, out.assignment);
  rows = rows.subspan(arranged.taken);
  now_.ahead.erase(
      now_.ahead.begin(),
      now_.ahead.begin() + static_cast<std::ptrdiff_t>(arranged.taken));
  return AfterAdd(arranged, out);
}

StatusOr<bool> Steps::EndEpoch(Step& out) {
  if (arranger_->FlushFull(out.assignment)) {
    MakeStep(out);
    return true;
  }
  const bool last = options_.epochs != 0 && now_.epoch + 1 == options_.epochs;
  uint64_t refused = 0;
  std::vector<size_t> padded;
  std::vector<size_t> dropped;
  for (size_t queue = 0; queue < arranger_->queues(); ++queue) {
    switch (options_.LeftoverOf(queue)) {
      case Leftover::kError:
        refused += arranger_->held_rows_of(queue);
        break;
      case Leftover::kDrop:
        dropped.push_back(queue);
        break;
      case Leftover::kCarry:
        if (last) padded.push_back(queue);
        break;
      case Leftover::kPad:
        padded.push_back(queue);
        break;
    }
  }
  if (refused > 0) {
    return FailedPreconditionError(fmt::format(
        "epoch {} leaves {} rows that do not fill whole batches; use "
        "Leftover::kPad or Leftover::kDrop",
        now_.epoch, refused));
  }
  if (!padded.empty() && arranger_->FlushOf(padded, out.assignment)) {
    MakeStep(out);
    return true;
  }
  for (const size_t queue : dropped) {
    left_over_dropped_ += arranger_->DropOf(queue);
  }
  if (now_.step_in_epoch == 0 && options_.epochs == 0 &&
      arranger_->held_rows() == 0) {
    return FailedPreconditionError(
        "Repeat for ever, but an epoch has no batch: every row is dropped; use "
        "smaller batches or Leftover::kPad");
  }
  left_over_dropped_ += options_.cut_records;
  ++now_.epoch;
  now_.step_in_epoch = 0;
  now_.position = 0;
  now_.window_begin = 0;
  now_.units.clear();
  return false;
}

void Steps::MakeStep(Step& out) {
  ++now_.step;
  ++now_.step_in_epoch;
  now_.counts.records += static_cast<uint64_t>(
      std::ranges::count(out.assignment.pieces, true, &Piece::last));
  now_.counts.rows += out.assignment.real_rows;
  now_.counts.pad_rows +=
      out.assignment.row_offsets.size() - 1 - out.assignment.real_rows;
  out.epoch = now_.epoch;
  out.after = now_;
  out.after.counts = counts();
  out.after.held = arranger_->Held();
  if (const MixOrder* order = mix()) {
    out.after.taken = order->Taken(now_.epoch, now_.position);
  }
}

PipelineCounts Steps::counts() const {
  const ArrangeCounts arranged = arranger_->counts();
  PipelineCounts counts = now_.counts;
  counts.dropped = loaded_.dropped + arranged.dropped + left_over_dropped_;
  counts.truncated = loaded_.truncated + arranged.truncated;
  counts.forced = loaded_.forced + arranged.forced;
  return counts;
}

Status Steps::Load(const State& state, std::span<const Row> rows) {
  if (options_.epochs != 0 && state.epoch >= options_.epochs) {
    return FailedPreconditionError(
        fmt::format("the state is in epoch {}, counted from 0, and this run "
                    "has {}: Repeat as often or more",
                    state.epoch, options_.epochs));
  }
  MixEpochs mix = options_.mix;
  for (const PlanBegin& plan : state.lineage) {
    if (plan.taken.empty()) continue;
    mix.BeginAnew({.epoch = plan.epoch, .taken = plan.taken});
  }
  if (const MixOrder* order = mix.Of(state.epoch)) {
    PENSTOCK_RETURN_IF_ERROR(CheckPosition(state, order->records()));
  }
  if (!arranger_->Load(state.held, rows)) {
    return FailedPreconditionError(
        "the rows that wait in the state are not rows that wait here");
  }
  options_.mix = std::move(mix);
  now_ = state;
  now_.graph = options_.graph;
  now_.held.clear();
  loaded_ = state.counts;
  return OkStatus();
}

}  // namespace penstock
