#include "formats/jsonl_reader.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "formats/file_signature.h"
#include "formats/json_text.h"
#include "formats/open_stream.h"
#include "formats/status.h"
#include "formats/text_records.h"

namespace penstock {
namespace {

constexpr std::string_view kBlanks = " \t\r";

// What may be wrong with the file as a whole, from the line that is no JSON.
std::string Hint(std::string_view line, bool is_first, bool is_cut) {
  const size_t last = line.find_last_not_of(kBlanks);
  const std::string_view end = line.substr(last, 1);
  if (end == "{" || end == "[") {
    return "; the file looks like pretty-printed JSON: put each document on "
           "one line";
  }
  if (is_first) {
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
      : TextRecords(std::move(stream), options.buffer_bytes,
                    options.max_record_bytes, "line"),
        on_bad_line_(std::move(options.on_bad_line)),
        text_(options.field) {}

 private:
  absl::StatusOr<size_t> Cut(std::span<char> bytes, bool at_end) override {
    size_t used = 0;
    for (;;) {
      const std::string_view rest(bytes.data() + used, bytes.size() - used);
      const std::optional<Line> line = FirstLine(rest, at_end);
      if (!line) return used;
      PENSTOCK_RETURN_IF_ERROR(CheckSize(line->text.size()));
      if (line->text.find_first_not_of(kBlanks) != std::string_view::npos) {
        const absl::Status status =
            TakeText(bytes.subspan(used, line->size), line->text);
        if (!status.ok()) {
          if (!on_bad_line_) return status;
          on_bad_line_(status);
        }
      }
      used += line->size;
      PassLines(1);
    }
  }

  // The text is never longer than the line it is in, so the bytes of the line
  // are where it is kept.
  absl::Status TakeText(std::span<char> bytes, std::string_view line) {
    const absl::StatusOr<std::string_view> text = text_.Read(line);
    if (text.ok()) {
      if (!text->empty()) std::memcpy(bytes.data(), text->data(), text->size());
      return Add({bytes.data(), text->size()});
    }
    absl::Status status = text.status();
    if (status.code() == absl::StatusCode::kDataLoss) {
      const bool is_cut = bytes.back() != '\n';
      status = absl::DataLossError(std::string(status.message()) +
                                   Hint(line, this->line() == 1, is_cut));
    }
    return Annotate(status, LocateLine());
  }

  const std::function<void(const absl::Status&)> on_bad_line_;
  JsonText text_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<RecordReader>> OpenJsonl(
    FileSystem& files, const std::string& path, JsonlReadOptions options) {
  PENSTOCK_ASSIGN_OR_RETURN(auto stream,
                            OpenStream(files, path, options.compression));
  return std::make_unique<JsonlReader>(std::move(stream), std::move(options));
}

}  // namespace penstock
