#include "formats/corpora/text_records.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {

std::optional<Line> FirstLine(std::string_view text, bool at_end) {
  if (text.empty()) return std::nullopt;
  const void* const found = std::memchr(text.data(), '\n', text.size());
  if (found == nullptr && !at_end) return std::nullopt;
  Line line{text, text.size()};
  if (found != nullptr) {
    const size_t size = static_cast<const char*>(found) - text.data();
    line = {text.substr(0, size), size + 1};
  }
  if (line.text.ends_with('\r')) line.text.remove_suffix(1);
  return line;
}

TextRecords::TextRecords(std::unique_ptr<ByteStream> stream,
                         size_t buffer_bytes, uint64_t max_record_bytes,
                         std::string_view unit)
    : buffer_(std::move(stream), buffer_bytes, max_record_bytes),
      max_record_bytes_(max_record_bytes),
      unit_(unit) {}

StatusOr<std::optional<RecordBlock>> TextRecords::NextBlock() {
  buffer_.Consume(used_);
  used_ = 0;
  first_ += records_.size();
  records_.clear();
  lines_.clear();
  while (failed_.ok() && records_.empty()) {
    const bool ended = at_end_ && buffer_.pending().empty();
    failed_ = ended ? CheckEnd() : FindRecords();
    if (ended && failed_.ok()) return std::nullopt;
  }
  if (records_.empty()) return failed_;
  return RecordBlock{.records = records_, .first = first_};
}

// Cuts what is pending; reads more where that gives nothing.
Status TextRecords::FindRecords() {
  PENSTOCK_ASSIGN_OR_RETURN(used_, Cut(buffer_.pending(), at_end_));
  if (!records_.empty() || at_end_) {
    if (records_.empty()) buffer_.Consume(std::exchange(used_, 0));
    return OkStatus();
  }
  buffer_.Consume(std::exchange(used_, 0));
  // Two bytes for a line end that is no part of the record.
  const size_t pending = buffer_.pending().size();
  if (pending > 2) PENSTOCK_RETURN_IF_ERROR(CheckSize(pending - 2));
  PENSTOCK_ASSIGN_OR_RETURN(const bool more, buffer_.Fill());
  at_end_ = !more;
  return OkStatus();
}

Status TextRecords::CheckSize(uint64_t size_bytes) const {
  if (size_bytes <= max_record_bytes_) return OkStatus();
  return ResourceExhaustedError(
      fmt::format("{}: the {} has more than {} bytes; raise {}", LocateLine(),
                  unit_, max_record_bytes_, limit_name()));
}

Status TextRecords::Add(std::string_view record) {
  PENSTOCK_RETURN_IF_ERROR(CheckSize(record.size()));
  records_.push_back(record);
  lines_.push_back(line_);
  return OkStatus();
}

std::string TextRecords::LocateLine() const {
  return fmt::format("{}:{}", path(), line_);
}

std::string TextRecords::Locate(size_t i) const {
  return fmt::format("{}:{}", path(), lines_[i]);
}

}  // namespace penstock
