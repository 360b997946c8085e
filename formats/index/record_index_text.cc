#include "formats/index/record_index_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include "formats/files/atomic_file.h"
#include "formats/files/quoted.h"
#include "formats/files/status_or.h"
#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock {
namespace {

constexpr size_t kPieceBytes = 1 << 20;

struct Line {
  uint64_t offset = 0;
  uint64_t size_bytes = 0;  // with framing
};

// Digits, one space, digits: nothing else.
std::optional<Line> ParseLine(std::string_view text) {
  Line line;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, line.offset);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != ' ') {
    return std::nullopt;
  }
  const auto second = std::from_chars(first.ptr + 1, end, line.size_bytes);
  if (second.ec != std::errc() || second.ptr != end) return std::nullopt;
  return line;
}

// Compares the lines with what is in the file.
class LineChecker {
 public:
  LineChecker(const std::string& text_path, const std::string& path,
              const RecordIndex& index)
      : text_path_(text_path), path_(path), index_(index) {}

  Status Check(std::string_view text) {
    const uint64_t number = lines_++;
    const std::optional<Line> line = ParseLine(text);
    if (!line.has_value()) {
      return AtLine(
          fmt::format("{} is not \"OFFSET SIZE\"", Quoted(text.substr(0, 64))));
    }
    if (number == index_.records()) {
      return AtLine(
          fmt::format("a record at offset {}, but {} ends after {} "
                      "records",
                      line->offset, path_, number));
    }
    PENSTOCK_ASSIGN_OR_RETURN(const RecordPlace place, index_.Find(number));
    if (line->offset != place.offset) {
      return AtLine(fmt::format(
          "offset {} {} {}, where record {} of {} begins", line->offset,
          line->offset < place.offset ? "overlaps the record before"
                                      : "leaves a gap after",
          place.offset, number, path_));
    }
    const uint64_t size_bytes = place.size_bytes + kTfRecordFramingBytes;
    if (line->size_bytes != size_bytes) {
      return AtLine(
          fmt::format("size {}, but record {} of {} has {} with its "
                      "framing",
                      line->size_bytes, number, path_, size_bytes));
    }
    return OkStatus();
  }

  Status CheckEnd() {
    if (lines_ == index_.records()) return OkStatus();
    ++lines_;
    return AtLine(
        fmt::format("is missing: {} has {} records", path_, index_.records()));
  }

 private:
  Status AtLine(std::string_view what) const {
    return InvalidArgumentError(
        fmt::format("{}:{}: {}; make it anew with recordtool index --form=dali",
                    text_path_, lines_, what));
  }

  const std::string& text_path_;
  const std::string& path_;
  const RecordIndex& index_;
  uint64_t lines_ = 0;
};

}  // namespace

Status WriteIndexText(FileSystem& files, const std::string& text_path,
                      const RecordIndex& index) {
  if (index.in_gzip_members()) {
    return InvalidArgumentError(fmt::format(
        "{}: the text form has offsets of uncompressed files only; write the "
        "binary form",
        text_path));
  }
  PENSTOCK_ASSIGN_OR_RETURN(const auto out,
                            AtomicFile::Create(files, text_path));
  std::string lines;
  for (uint64_t i = 0; i < index.records(); ++i) {
    PENSTOCK_ASSIGN_OR_RETURN(const RecordPlace place, index.Find(i));
    fmt::format_to(std::back_inserter(lines), "{} {}\n", place.offset,
                   place.size_bytes + kTfRecordFramingBytes);
    if (lines.size() < kPieceBytes) continue;
    PENSTOCK_RETURN_IF_ERROR(out->Append(lines));
    lines.clear();
  }
  PENSTOCK_RETURN_IF_ERROR(out->Append(lines));
  return out->Commit();
}

StatusOr<RecordIndex> ReadIndexText(FileSystem& files,
                                    const std::string& text_path,
                                    const std::string& path, IndexCheck check) {
  PENSTOCK_ASSIGN_OR_RETURN(RecordIndex index,
                            BuildRecordIndex(files, path, {.check = check}));
  PENSTOCK_ASSIGN_OR_RETURN(const std::string text,
                            ReadWholeFile(files, text_path));
  LineChecker checker(text_path, path, index);
  for (std::string_view left = text; !left.empty();) {
    const size_t end = left.find('\n');
    PENSTOCK_RETURN_IF_ERROR(checker.Check(left.substr(0, end)));
    left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
  }
  PENSTOCK_RETURN_IF_ERROR(checker.CheckEnd());
  return index;
}

}  // namespace penstock
