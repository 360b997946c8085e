#include "pipeline/arrange/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace penstock {

Steps::Steps(std::unique_ptr<Arranger> arranger, StepOptions options)
    : arranger_(std::move(arranger)), options_(std::move(options)) {
  now_.graph = options_.graph;
}

StepResult Steps::Add(std::span<const Row>& rows, Step& out) {
  const Arranged arranged = arranger_->Add(rows, out.assignment);
  rows = rows.subspan(arranged.taken);
  now_.position += arranged.taken;
  if (arranged.too_long) return StepResult::kTooLong;
  if (!arranged.due) return StepResult::kWantsRows;
  MakeStep(out);
  return StepResult::kStep;
}

StatusOr<bool> Steps::EndEpoch(Step& out) {
  if (arranger_->FlushFull(out.assignment)) {
    MakeStep(out);
    return true;
  }
  const uint64_t rows = arranger_->held_rows();
  switch (options_.leftover) {
    case Leftover::kPad:
      if (!arranger_->Flush(out.assignment)) break;
      MakeStep(out);
      return true;
    case Leftover::kDrop:
      left_over_dropped_ += arranger_->Drop();
      break;
    case Leftover::kError:
      if (rows == 0) break;
      return FailedPreconditionError(fmt::format(
          "epoch {} leaves {} rows that do not fill whole batches; use "
          "Leftover::kPad or Leftover::kDrop",
          now_.epoch, rows));
  }
  if (now_.step_in_epoch == 0 && options_.epochs == 0) {
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
  if (!arranger_->Load(state.held, rows)) {
    return FailedPreconditionError(
        "the rows that wait in the state are not rows that wait here");
  }
  now_ = state;
  now_.graph = options_.graph;
  now_.held.clear();
  loaded_ = state.counts;
  return OkStatus();
}

}  // namespace penstock
