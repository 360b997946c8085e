#include "pipeline/read/record_sequence.h"

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
  BeginPass();
}

// What is skipped in one pass, or by one host, is skipped in the next again.
void RecordSequence::BeginPass() {
  std::shared_ptr<SkipBudget>& total = options_.recovery.total;
  if (total != nullptr) total = std::make_shared<SkipBudget>(total->limit());
}

Status RecordSequence::StartAt(UnitPlace place) {
  if (place.unit >= paths_.size()) {
    return FailedPreconditionError(
        fmt::format("the state reads file {}, counted from 0, of {}",
                    place.unit, paths_.size()));
  }
  reader_.reset();
  next_file_ = place.unit;
  block_ = {};
  used_ = 0;
  next_id_ = place.first_record;
  BeginPass();
  return OkStatus();
}

StatusOr<std::optional<std::string_view>> RecordSequence::Next() {
  if (used_ == block_.records.size()) {
    PENSTOCK_ASSIGN_OR_RETURN(const bool more, NextBlock());
    if (!more) return std::nullopt;
  }
  ++next_id_;
  records_read_.fetch_add(1, std::memory_order_relaxed);
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
      Remember({.unit = next_file_, .first_record = next_id_});
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

void RecordSequence::Remember(UnitPlace place) {
  const std::lock_guard lock(mutex_);
  const auto at = std::lower_bound(
      places_.begin(), places_.end(), place.unit,
      [](const UnitPlace& known, uint64_t unit) { return known.unit < unit; });
  if (at == places_.end() || at->unit != place.unit) places_.insert(at, place);
}

UnitPlace RecordSequence::PlaceOf(uint64_t record_id) const {
  const std::lock_guard lock(mutex_);
  const auto after = std::upper_bound(places_.begin(), places_.end(), record_id,
                                      [](uint64_t id, const UnitPlace& place) {
                                        return id < place.first_record;
                                      });
  return after == places_.begin() ? UnitPlace{} : *std::prev(after);
}

std::string RecordSequence::Locate(uint64_t record_id) const {
  const UnitPlace place = PlaceOf(record_id);
  if (place.unit >= paths_.size()) return fmt::format("record {}", record_id);
  return fmt::format("{}: record {}", paths_[place.unit],
                     record_id - place.first_record);
}

}  // namespace penstock
