#include "formats/corpora/text_records.h"

#include <fmt/format.h>

#include <algorithm>
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
                         std::string_view unit, TextRules rules)
    : buffer_(std::move(stream), buffer_bytes, max_record_bytes),
      max_record_bytes_(max_record_bytes),
      unit_(unit),
      rules_(std::move(rules)) {}

StatusOr<std::optional<RecordBlock>> TextRecords::NextBlock() {
  buffer_.Consume(used_);
  used_ = 0;
  first_ += records_.size();
  records_.clear();
  lines_.clear();
  mended_.clear();
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
  const std::span<char> text = buffer_.pending();
  const StatusOr<size_t> used = Cut(text, at_end_);
  PENSTOCK_RETURN_IF_ERROR(
      CheckRecords({text.data(), used.ok() ? *used : text.size()}));
  PENSTOCK_RETURN_IF_ERROR(used.status());
  used_ = *used;
  if (!records_.empty() || at_end_) {
    if (records_.empty()) buffer_.Consume(std::exchange(used_, 0));
    return OkStatus();
  }
  buffer_.Consume(std::exchange(used_, 0));
  // Up to three bytes, "\r\n\r", may be line ends that are no part of the
  // record.
  const size_t pending = buffer_.pending().size();
  if (pending > 3) PENSTOCK_RETURN_IF_ERROR(CheckSize(pending - 3));
  PENSTOCK_ASSIGN_OR_RETURN(const bool more, buffer_.Fill());
  at_end_ = !more;
  return OkStatus();
}

// Records end where characters do, so all of them are right where their text
// is; a record is looked at by itself only where something is wrong.
Status TextRecords::CheckRecords(std::string_view text) {
  if (rules_.invalid_utf8 == NotUtf8::kKeep || records_.empty() ||
      !FindTextFault(text)) {
    return OkStatus();
  }
  size_t kept = 0;
  Status status;
  for (size_t i = 0; i < records_.size(); ++i) {
    std::optional<TextFault> fault = FindTextFault(records_[i]);
    if (fault && rules_.invalid_utf8 == NotUtf8::kReplace &&
        records_[i].find('\0') == std::string_view::npos) {
      records_[i] = mended_.emplace_back(ReplaceInvalidUtf8(records_[i]));
      fault = std::nullopt;
    }
    if (fault) {
      status = FaultOf(i, *fault);
      if (!rules_.on_bad_part) break;
      status = rules_.on_bad_part(rules_.part, status);
      if (!status.ok()) break;
      continue;
    }
    records_[kept] = records_[i];
    lines_[kept++] = lines_[i];
  }
  records_.resize(kept);
  lines_.resize(kept);
  return status;
}

Status TextRecords::FaultOf(size_t i, TextFault fault) const {
  const std::string place = LocateByte(i, fault.offset);
  if (fault.is_nul) {
    return InvalidArgumentError(fmt::format(
        "{} is NUL, which no text has: is the file binary, or UTF-16?", place));
  }
  return DataLossError(fmt::format(
      "{} ({:#04x}) is not UTF-8; convert the file (iconv -t UTF-8), or let "
      "invalid_utf8 replace or keep such bytes",
      place, static_cast<uint8_t>(records_[i][fault.offset])));
}

std::string TextRecords::LocateByte(size_t i, size_t offset) const {
  const std::string_view before = records_[i].substr(0, offset);
  return fmt::format("{}:{}: byte {} of the {}", path(),
                     lines_[i] + std::ranges::count(before, '\n'), offset + 1,
                     unit_);
}

Status TextRecords::CheckSize(uint64_t size_bytes) const {
  if (size_bytes <= max_record_bytes_) return OkStatus();
  return ResourceExhaustedError(
      fmt::format("{}: the {} has more than {} bytes; raise {}{}", LocateLine(),
                  unit_, max_record_bytes_, limit_name(),
                  unit_ == "file" ? ", or cut it by text_unit" : ""));
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
