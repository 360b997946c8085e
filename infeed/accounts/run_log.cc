#include "infeed/accounts/run_log.h"

#include <algorithm>

namespace penstock {
namespace {

RowCounts CountRows(const CoreSlice& slice) {
  const Contract& contract = slice.contract();
  const auto rows = static_cast<uint64_t>(slice.rows());
  RowCounts counts{.pad_rows = slice.pad_rows(), .bytes = slice.size_bytes()};
  counts.examples = rows - counts.pad_rows;
  const auto lengths =
      std::ranges::find(contract.tensors, Role::kLengths, &TensorSpec::role);
  if (lengths == contract.tensors.end()) return counts;
  const TensorView view =
      slice.tensor(static_cast<size_t>(lengths - contract.tensors.begin()));
  for (const int32_t length : view.values<int32_t>()) {
    counts.real_tokens += static_cast<uint64_t>(length);
  }
  counts.all_tokens =
      rows * static_cast<uint64_t>(contract.lengths[slice.shape()]);
  return counts;
}

}  // namespace

RunLog::RunLog(std::optional<uint64_t> records_per_epoch, size_t shapes)
    : census_(records_per_epoch), steps_of_shape_(shapes, 0) {}

void RunLog::AddSlice(const CoreSlice& slice) {
  const uint64_t digest = DigestOf(slice);
  const RowCounts counts = CountRows(slice);
  const std::lock_guard lock(mutex_);
  batch_digest_.Add(digest);
  census_.Mark(slice.epoch(), slice.record_ids());
  rows_.examples += counts.examples;
  rows_.pad_rows += counts.pad_rows;
  rows_.real_tokens += counts.real_tokens;
  rows_.all_tokens += counts.all_tokens;
  rows_.bytes += counts.bytes;
}

void RunLog::AddStep(const StepSpan& span, const CoreSlice& slice) {
  const std::lock_guard lock(mutex_);
  steps_.push_back(span);
  ++steps_of_shape_[slice.shape()];
  state_ = slice.state_after();
}

}  // namespace penstock
