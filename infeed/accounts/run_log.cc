#include "infeed/accounts/run_log.h"

#include <algorithm>

namespace penstock {
namespace {

// The lengths of the first feature that is as long as the bucket; those that
// have buckets of their own stand behind its values.
size_t LengthsOf(const Contract& contract) {
  bool own = false;
  for (size_t t = 0; t < contract.tensors.size(); ++t) {
    const TensorSpec& spec = contract.tensors[t];
    if (spec.role == Role::kLengths && !own) return t;
    own = spec.role == Role::kData &&
          std::ranges::count(spec.row_shape, TensorSpec::kOwnLength) > 0;
  }
  return contract.tensors.size();
}

RowCounts CountRows(const CoreSlice& slice) {
  const Contract& contract = slice.contract();
  const auto rows = static_cast<uint64_t>(slice.rows());
  RowCounts counts{.pad_rows = slice.pad_rows(),
                   .bytes = contract.RowBytes(slice.shape()) * rows};
  counts.examples = rows - counts.pad_rows;
  const size_t lengths = LengthsOf(contract);
  if (lengths == contract.tensors.size()) return counts;
  const TensorView view = slice.WholeRows(lengths);
  for (const int32_t length : view.values<int32_t>()) {
    counts.real_tokens += static_cast<uint64_t>(length);
  }
  counts.all_tokens =
      rows * static_cast<uint64_t>(contract.lengths[slice.shape()]);
  return counts;
}

// A record that is cut is seen where it begins.
std::vector<uint64_t> RecordsSeen(const CoreSlice& slice) {
  const auto ids = slice.record_ids();
  const auto begins = slice.record_begins();
  std::vector<uint64_t> seen;
  seen.reserve(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    if (begins.empty() || begins[i] == 0) seen.push_back(ids[i]);
  }
  return seen;
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

RunLog::RunLog(std::optional<uint64_t> records_per_epoch, size_t shapes,
               CensusKeeps keeps)
    : census_(records_per_epoch, keeps), shapes_(shapes) {}

void RunLog::AddSlice(const CoreSlice& slice) {
  const uint64_t digest = DigestOf(slice);
  const RowCounts counts = CountRows(slice);
  const std::vector<uint64_t> seen = RecordsSeen(slice);
  const std::lock_guard lock(mutex_);
  batch_digest_.Add(digest);
  census_.Mark(slice.epoch(), seen);
  rows_ += counts;
  shapes_[slice.shape()].rows += counts;
}

RunLogPart RunLog::Part() const {
  RunLogPart part = {.batch_digest = batch_digest_.value(),
                     .record_digest = census_.digest(),
                     .marks = census_.Marks()};
  for (const ShapeCounts& shape : shapes_) part.rows.push_back(shape.rows);
  return part;
}

void RunLog::Merge(const RunLogPart& part) {
  for (size_t s = 0; s < std::min(shapes_.size(), part.rows.size()); ++s) {
    shapes_[s].rows += part.rows[s];
    rows_ += part.rows[s];
  }
  batch_digest_.Add(part.batch_digest);
  census_.Merge(part.marks, part.record_digest);
}

void RunLog::AddOutfeed(uint64_t step, int64_t free_ns) {
  const std::lock_guard lock(mutex_);
  SentBack& slot = sent_back_[step % sent_back_.size()];
  if (slot.step != step) slot = {.step = step};
  slot.free_ns = std::max(slot.free_ns, free_ns);
}

int64_t RunLog::OutfeedFreeNs(uint64_t step) const {
  const std::lock_guard lock(mutex_);
  const SentBack& slot = sent_back_[step % sent_back_.size()];
  return slot.step == step ? slot.free_ns : 0;
}

void RunLog::AddStep(const StepSpan& span, const CoreSlice& slice) {
  const std::lock_guard lock(mutex_);
  steps_.push_back(span);
  ++shapes_[slice.shape()].steps;
  state_ = slice.state_after();
}

}  // namespace penstock
