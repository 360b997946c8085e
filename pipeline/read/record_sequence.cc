#include "pipeline/read/record_sequence.h"

#include <fmt/format.h>

#include <utility>

#include "formats/files/status_or.h"
#include "formats/records/recovery.h"

namespace penstock {

RecordSequence::RecordSequence(FileSystem& files,
                               std::vector<std::string> paths,
                               OpenOptions options)
    : files_(files), places_(std::move(paths)), options_(std::move(options)) {
  BeginPass();
}

// What is skipped in one pass, or by one host, is skipped in the next again.
void RecordSequence::BeginPass() {
  std::shared_ptr<SkipBudget>& total = options_.recovery.total;
  if (total != nullptr) total = std::make_shared<SkipBudget>(total->limit());
}

Status RecordSequence::StartAt(const SequenceStart& start) {
  const UnitPlace place =
      start.units.empty() ? UnitPlace{} : start.units.front();
  PENSTOCK_RETURN_IF_ERROR(places_.Check(place));
  reader_.reset();
  next_file_ = place.unit;
  block_ = {};
  used_ = 0;
  next_id_ = place.first_record;
  BeginPass();
  return OkStatus();
}

StatusOr<bool> RecordSequence::HasNext(const std::stop_token&) {
  if (used_ < block_.records.size()) return true;
  return NextBlock();
}

StatusOr<std::optional<SequenceRecord>> RecordSequence::Next(
    const std::stop_token& stop) {
  PENSTOCK_ASSIGN_OR_RETURN(const bool more, HasNext(stop));
  if (!more) return std::nullopt;
  records_read_.fetch_add(1, std::memory_order_relaxed);
  const std::string_view bytes = block_.records[used_++];
  return std::optional<SequenceRecord>(
      {.id = next_id_++, .size_bytes = bytes.size(), .bytes = bytes});
}

StatusOr<bool> RecordSequence::NextBlock() {
  block_ = {};
  used_ = 0;
  const std::vector<std::string>& paths = places_.paths();
  for (;;) {
    if (reader_ == nullptr) {
      if (next_file_ == paths.size()) return false;
      PENSTOCK_ASSIGN_OR_RETURN(
          reader_, OpenRecords(files_, paths[next_file_], options_));
      places_.Remember({.unit = next_file_, .first_record = next_id_});
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

}  // namespace penstock
