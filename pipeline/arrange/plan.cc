#include "pipeline/arrange/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "pipeline/tasks/cancelled.h"

namespace penstock {
namespace {

constexpr uint64_t kRowsAtOnce = 4096;

}  // namespace

Plan::Plan(std::shared_ptr<const Order> order, LengthTable lengths, Steps steps,
           RefuseRow too_long)
    : order_(std::move(order)),
      lengths_(std::move(lengths)),
      steps_(std::move(steps)),
      too_long_(std::move(too_long)) {}

StatusOr<std::optional<Step>> Plan::Next(const std::stop_token& stop) {
  Step step;
  while (steps_.more()) {
    if (stop.stop_requested()) {
      return PipelineCancelled();
    }
    if (left_.empty() && filled_ < order_->records()) Fill();
    if (!left_.empty()) {
      const StepResult result = steps_.Add(left_, step);
      if (result == StepResult::kTooLong) {
        assert(too_long_);
        return too_long_(left_.front());
      }
      if (result == StepResult::kStep) {
        return std::optional<Step>(std::move(step));
      }
      continue;
    }
    PENSTOCK_ASSIGN_OR_RETURN(const bool made, steps_.EndEpoch(step));
    if (made) return std::optional<Step>(std::move(step));
    filled_ = 0;
  }
  return std::nullopt;
}

void Plan::Fill() {
  const size_t count = std::min(kRowsAtOnce, order_->records() - filled_);
  ids_.resize(count);
  row_lengths_.resize(count);
  rows_.resize(count);
  order_->Fill(steps_.now().epoch, filled_, ids_);
  lengths_.Look(ids_, row_lengths_);
  for (size_t i = 0; i < count; ++i) {
    rows_[i] = {.record = ids_[i], .length = row_lengths_[i]};
  }
  filled_ += count;
  left_ = rows_;
}

Status Plan::Load(const State& state) {
  if (state.position > order_->records()) {
    return FailedPreconditionError(
        fmt::format("the state has taken {} records of an epoch that has {}",
                    state.position, order_->records()));
  }
  std::vector<Row> rows;
  rows.reserve(state.held.size());
  for (const HeldPiece& piece : state.held) {
    if (piece.record >= order_->id_limit()) {
      return FailedPreconditionError(
          fmt::format("record {} waits in the state, but there are only {}",
                      piece.record, order_->id_limit()));
    }
    rows.push_back({.record = piece.record, .length = lengths_(piece.record)});
  }
  PENSTOCK_RETURN_IF_ERROR(steps_.Load(state, rows));
  filled_ = state.position;
  left_ = {};
  return OkStatus();
}

}  // namespace penstock
