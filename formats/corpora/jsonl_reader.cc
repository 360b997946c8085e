#include "formats/corpora/jsonl_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "formats/corpora/json_text.h"
#include "formats/corpora/text_records.h"
#include "formats/files/status_or.h"
#include "formats/streams/file_signature.h"
#include "formats/streams/open_stream.h"

namespace penstock {
namespace {

constexpr std::string_view kBlanks = " \t\r";

using std::string_view_literals::operator""sv;

// What may be wrong with the file as a whole, from the line that is no JSON.
std::string Hint(std::string_view line, bool is_first, bool is_cut) {
  const size_t last = line.find_last_not_of(kBlanks);
  const std::string_view end = line.substr(last, 1);
  if (end == "{" || end == "[") {
    return "; the file looks like pretty-printed JSON: put each document on "
           "one line";
  }
  if (line.starts_with(kUtf8Mark)) {
    return "; it begins with a byte order mark: were files joined?";
  }
  if (is_first) {
    if (line.substr(0, 4).find('\0') != std::string_view::npos) {
      return "; the file looks like UTF-16 or UTF-32: convert it to UTF-8";
    }
    const std::string_view kind = LooksLike(line.substr(0, 64));
    if (!kind.empty() && kind != "text" && kind != "JSON text") {
      return fmt::format("; the file looks like {}", kind);
    }
  }
  if (is_cut) {
    return "; it is the last line and has no line end: is the file cut off?";
  }
  return "";
}

class JsonlReader final : public TextRecords {
 public:
  JsonlReader(std::unique_ptr<ByteStream> stream, JsonlReadOptions options)
      : TextRecords(
            std::move(stream), options.buffer_bytes,
            std::min(options.max_record_bytes, options.max_json_line_bytes),
            "line"),
        is_limited_as_json_(options.max_json_line_bytes <
                            options.max_record_bytes),
        on_bad_part_(std::move(options.on_bad_part)),
        on_repeated_field_(std::move(options.on_repeated_field)),
        text_(options.field, options.leniency) {}

 private:
  std::string_view limit_name() const override {
    return is_limited_as_json_ ? "max_json_line_bytes (--max-json-line); it "
                                 "takes 14 times its size to parse"
                               : TextRecords::limit_name();
  }

  StatusOr<size_t> Cut(std::span<char> bytes, bool at_end) override {
    longer_.clear();
    size_t used = 0;
    for (;;) {
      const std::string_view rest(bytes.data() + used, bytes.size() - used);
      const std::optional<Line> line = FirstLine(rest, at_end);
      if (!line) return used;
      PENSTOCK_RETURN_IF_ERROR(CheckSize(line->text.size()));
      if (line->text.find_first_not_of(kBlanks) != std::string_view::npos) {
        const Status status =
            TakeText(bytes.subspan(used, line->size), line->text);
        if (!status.ok()) {
          if (!on_bad_part_) return status;
          PENSTOCK_RETURN_IF_ERROR(on_bad_part_(BadPart::kLine, status));
        }
      }
      used += line->size;
      PassLines(1);
    }
  }

  // The text is not longer than the line it is in, unless that was mended, so
  // the bytes of the line are where it is kept.
  Status TakeText(std::span<char> bytes, std::string_view line) {
    const StatusOr<std::string_view> text = text_.Read(line);
    if (text.ok()) {
      if (on_repeated_field_ && text_.repeated()) {
        on_repeated_field_(LocateLine());
      }
      if (text->size() > bytes.size()) return Add(longer_.emplace_back(*text));
      if (!text->empty()) std::memcpy(bytes.data(), text->data(), text->size());
      return Add({bytes.data(), text->size()});
    }
    Status status = text.status();
    if (status.code() == StatusCode::kDataLoss) {
      const bool is_cut = bytes.back() != '\n';
      status = DataLossError(std::string(status.message()) +
                             Hint(line, this->line() == 1, is_cut));
    }
    return Annotate(status, LocateLine());
  }

  const bool is_limited_as_json_;
  const OnBadPart on_bad_part_;
  const Callback<void(std::string_view)> on_repeated_field_;
  JsonText text_;
  std::deque<std::string> longer_;  // texts of the block longer than their line
};

}  // namespace

StatusOr<std::unique_ptr<RecordReader>> OpenJsonl(FileSystem& files,
                                                  const std::string& path,
                                                  JsonlReadOptions options) {
  PENSTOCK_ASSIGN_OR_RETURN(auto stream,
                            OpenStream(files, path, options.compression));
  return ReadJsonl(std::move(stream), std::move(options));
}

std::unique_ptr<RecordReader> ReadJsonl(std::unique_ptr<ByteStream> stream,
                                        JsonlReadOptions options) {
  return std::make_unique<JsonlReader>(std::move(stream), std::move(options));
}

}  // namespace penstock
