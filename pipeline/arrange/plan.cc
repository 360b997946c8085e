#include "pipeline/arrange/plan.h"

#include <algorithm>
#include <utility>

namespace penstock {
namespace {

constexpr uint64_t kRowsAtOnce = 4096;

}  // namespace

Plan::Plan(PlanOptions options)
    : options_(std::move(options)), arranger_(options_.arrange) {}

std::optional<PlannedStep> Plan::Next() {
  while (options_.epochs == 0 || epoch_ < options_.epochs) {
    PlannedStep step;
    if (NextInEpoch(step.assignment)) {
      step.epoch = epoch_;
      step.step_in_epoch = step_in_epoch_++;
      step.dropped = dropped_;
      step.truncated = truncated_;
      return step;
    }
    BeginEpoch(epoch_ + 1);
  }
  return std::nullopt;
}

bool Plan::NextInEpoch(Assignment& out) {
  for (;;) {
    if (used_ == ids_.size()) {
      if (position_ == options_.order.records()) break;
      Fill();
    }
    const uint64_t id = ids_[used_++];
    const Placing placing =
        arranger_.Add(0, {.number = id, .length = options_.lengths(id)});
    if (placing == Placing::kDropped) ++dropped_;
    if (placing == Placing::kTruncated) ++truncated_;
    if (arranger_.Due(out)) return true;
  }
  if (options_.keep_left_over) return arranger_.Flush(out);
  dropped_ += arranger_.pending_rows();
  arranger_.Clear();
  return false;
}

void Plan::BeginEpoch(uint64_t epoch) {
  epoch_ = epoch;
  step_in_epoch_ = 0;
  position_ = 0;
  ids_.clear();
  used_ = 0;
}

void Plan::Fill() {
  ids_.resize(std::min(kRowsAtOnce, options_.order.records() - position_));
  options_.order.Fill(epoch_, position_, ids_);
  position_ += ids_.size();
  used_ = 0;
}

bool Plan::Seek(uint64_t epoch, uint64_t step_in_epoch) {
  arranger_.Clear();
  BeginEpoch(epoch);
  const uint64_t epochs = options_.epochs;
  if (epochs != 0 && epoch >= epochs)
    return epoch == epochs && step_in_epoch == 0;
  if (options_.lengths.columns().empty()) {
    const uint64_t size = options_.arrange.rows_per_shard;
    const uint64_t records = options_.order.records();
    const uint64_t steps =
        records / size + (options_.keep_left_over && records % size > 0);
    if (step_in_epoch > steps) return false;
    position_ = std::min(records, step_in_epoch * size);
    step_in_epoch_ = step_in_epoch;
  } else {
    Assignment skipped;
    for (; step_in_epoch_ < step_in_epoch; ++step_in_epoch_) {
      if (!NextInEpoch(skipped)) return false;
    }
  }
  dropped_ = 0;
  truncated_ = 0;
  return true;
}

}  // namespace penstock
