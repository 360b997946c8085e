#include "infeed/accounts/run_log.h"

#include <algorithm>

namespace penstock {
namespace {

RowCounts CountRows(const CoreSlice& slice) {
  const Contract& contract = slice.contract();
  const auto rows = static_cast<uint64_t>(slice.rows());
  RowCounts counts{.pad_rows = slice.pad_rows(), .bytes = contract.RowBytes(slice.shape()) * rows};
  counts.examples = rows - counts.pad_rows;
  const auto lengths =
      std::ranges::find(contract.tensors, Role::kLengths, &TensorSpec::role);
  if (lengths == contract.tensors.end()) return counts;
  const TensorView view =
      slice.WholeRows(static_cast<size_t>(lengths - contract.tensors.begin()));
  for (const int32_t length : view.values<int32_t>()) {
    counts.real_tokens += static_cast<uint64_t>(length);
  }
  counts.all_tokens =
      rows * static_cast<uint64_t>(contract.lengths[slice.shape()]);
  return counts;
}

}  // namespace

RowCounts& RowCounts::operator+=(const RowCounts& other) {
  examples += other.examples;
  pad_rows += other.pad_rows;
  real_tokens += other.real_tokens;
  all_tokens += other.all_tokens;
  bytes += other.bytes;
  return *this;
}

double RowCounts::padding_percent() const {
  const bool tokens = all_tokens > 0;
  const uint64_t all = tokens ? all_tokens : examples + pad_rows;
  const uint64_t real = tokens ? real_tokens : examples;
  if (all == 0) return 0;
  return 100.0 * static_cast<double>(all - real) / static_cast<double>(all);
}

RunLog::RunLog(std::optional<uint64_t> records_per_epoch, size_t shapes)
    : census_(records_per_epoch), shapes_(shapes) {}

void RunLog::AddSlice(const CoreSlice& slice) {
  const uint64_t digest = DigestOf(slice);
  const RowCounts counts = CountRows(slice);
  const std::lock_guard lock(mutex_);
  batch_digest_.Add(digest);
  census_.Mark(slice.epoch(), slice.record_ids());
  rows_ += counts;
  shapes_[slice.shape()].rows += counts;
}

void RunLog::AddStep(const StepSpan& span, const CoreSlice& slice) {
  const std::lock_guard lock(mutex_);
  steps_.push_back(span);
  ++shapes_[slice.shape()].steps;
  state_ = slice.state_after();
}

}  // namespace penstock
