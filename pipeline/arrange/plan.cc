#include "pipeline/arrange/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "pipeline/tasks/cancelled.h"

namespace penstock {
namespace {

// Of a mix each part is asked for a run of rows that is worth its while; they
// stay in a near cache.
uint64_t RowsAtOnce(const MixOrder* mix) {
  constexpr uint64_t kLeast = 1024;
  constexpr uint64_t kMost = 8192;
  constexpr uint64_t kOfAPart = 64;
  if (mix == nullptr) return kLeast;
  return std::clamp(kOfAPart * mix->shares().size(), kLeast, kMost);
}

}  // namespace

Plan::Plan(std::shared_ptr<const Order> order, LengthTable lengths, Steps steps,
           RefuseRow too_long)
    : order_(std::move(order)),
      lengths_(std::move(lengths)),
      steps_(std::move(steps)),
      too_long_(std::move(too_long)) {}

StatusOr<bool> Plan::Next(const std::stop_token& stop, Step& out) {
  while (steps_.more()) {
    if (stop.stop_requested()) {
      return PipelineCancelled();
    }
    const bool ahead = !ahead_left_.empty();
    if (!ahead && left_.empty() && filled_ < order().records()) Fill();
    std::span<const Row>& next = ahead ? ahead_left_ : left_;
    if (!next.empty()) {
      const StepResult result =
          ahead ? steps_.AddAhead(next, out) : steps_.Add(next, out);
      if (result == StepResult::kTooLong) {
        assert(too_long_);
        return too_long_(next.front());
      }
      if (result == StepResult::kStep) return true;
      continue;
    }
    PENSTOCK_ASSIGN_OR_RETURN(const bool made, steps_.EndEpoch(out));
    if (made) return true;
    filled_ = 0;
  }
  return false;
}

void Plan::Fill() {
  const size_t count =
      std::min(RowsAtOnce(steps_.mix()), order().records() - filled_);
  left_ = rows_.Fill(order(), lengths_, steps_.now().epoch, filled_, count);
  filled_ += count;
}

Row Plan::RowOf(const HeldPiece& piece) const {
  return {.record = piece.record,
          .length = lengths_(piece.record),
          .begin = piece.begin};
}

Status Plan::Load(const State& state) {
  assert(left_.empty());
  if (steps_.mix() == nullptr) {
    PENSTOCK_RETURN_IF_ERROR(CheckPosition(state, order_->records()));
  }
  if (order_->has_parts() && (!state.held.empty() || !state.ahead.empty() ||
                              !order_->MayStopBefore(state.position))) {
    return FailedPreconditionError(
        fmt::format("the state is at position {} with {} records that wait, "
                    "but this order stops between samples",
                    state.position, state.held.size() + state.ahead.size()));
  }
  for (const std::span<const HeldPiece> waiting :
       {std::span(state.held.vector()), std::span(state.ahead)}) {
    for (const HeldPiece& piece : waiting) {
      if (piece.record < order_->id_limit()) continue;
      return FailedPreconditionError(
          fmt::format("record {} waits in the state, but there are only {}",
                      piece.record, order_->id_limit()));
    }
  }
  std::vector<Row> rows;
  rows.reserve(state.held.size());
  for (const HeldPiece& piece : state.held) {
    rows.push_back(RowOf({.record = piece.record}));
  }
  PENSTOCK_RETURN_IF_ERROR(steps_.Load(state, rows));
  ahead_.clear();
  for (const HeldPiece& piece : state.ahead) ahead_.push_back(RowOf(piece));
  ahead_left_ = ahead_;
  filled_ = state.position;
  return OkStatus();
}

}  // namespace penstock
