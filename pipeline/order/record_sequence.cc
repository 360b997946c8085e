#include "pipeline/order/record_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/files/status_or.h"
#include "formats/records/recovery.h"

namespace penstock {

RecordSequence::RecordSequence(FileSystem& files,
                               std::vector<std::string> paths,
                               OpenOptions options)
    : files_(files), paths_(std::move(paths)), options_(std::move(options)) {
  Rewind();
}

void RecordSequence::Rewind() {
  reader_.reset();
  next_file_ = 0;
  block_ = {};
  used_ = 0;
  next_id_ = 0;
  // What is skipped in one pass is skipped in the next again.
  std::shared_ptr<SkipBudget>& total = options_.recovery.total;
  if (total != nullptr) total = std::make_shared<SkipBudget>(total->limit());
}

StatusOr<std::optional<std::string_view>> RecordSequence::Next() {
  if (used_ == block_.records.size()) {
    PENSTOCK_ASSIGN_OR_RETURN(const bool more, NextBlock());
    if (!more) return std::nullopt;
  }
  ++next_id_;
  return std::optional<std::string_view>(block_.records[used_++]);
}

StatusOr<bool> RecordSequence::NextBlock() {
  block_ = {};
  used_ = 0;
  for (;;) {
    if (reader_ == nullptr) {
      if (next_file_ == paths_.size()) return false;
      PENSTOCK_ASSIGN_OR_RETURN(
          reader_, OpenRecords(files_, paths_[next_file_], options_));
      const std::lock_guard lock(mutex_);
      if (first_.size() == next_file_) first_.push_back(next_id_);
      ++next_file_;
    }
    PENSTOCK_ASSIGN_OR_RETURN(const std::optional<RecordBlock> block,
                              reader_->NextBlock());
    if (block) {
      block_ = *block;
      return true;
    }
    reader_.reset();
  }
}

std::string RecordSequence::Locate(uint64_t record_id) const {
  const std::lock_guard lock(mutex_);
  const auto after = std::upper_bound(first_.begin(), first_.end(), record_id);
  if (after == first_.begin()) return fmt::format("record {}", record_id);
  const auto file = static_cast<size_t>(after - first_.begin() - 1);
  return fmt::format("{}: record {}", paths_[file], record_id - first_[file]);
}

}  // namespace penstock
