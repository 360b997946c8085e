#include "formats/corpora/text_reader.h"

#include <span>
#include <string_view>
#include <utility>

#include "formats/corpora/text_records.h"
#include "formats/files/status_or.h"
#include "formats/streams/open_stream.h"

namespace penstock {
namespace {

TextRules RulesOf(const TextReadOptions& options) {
  return {.invalid_utf8 = options.invalid_utf8,
          .on_bad_part = options.on_bad_part};
}

class LineReader final : public TextRecords {
 public:
  LineReader(std::unique_ptr<ByteStream> stream, const TextReadOptions& options)
      : TextRecords(std::move(stream), options.buffer_bytes,
                    options.max_record_bytes, "line", RulesOf(options)) {}

 private:
  StatusOr<size_t> Cut(std::span<char> bytes, bool at_end) override {
    const std::string_view text(bytes.data(), bytes.size());
    size_t used = 0;
    while (const auto line = FirstLine(text.substr(used), at_end)) {
      if (!line->text.empty()) PENSTOCK_RETURN_IF_ERROR(Add(line->text));
      used += line->size;
      PassLines(1);
    }
    return used;
  }
};

class ParagraphReader final : public TextRecords {
 public:
  ParagraphReader(std::unique_ptr<ByteStream> stream,
                  const TextReadOptions& options)
      : TextRecords(std::move(stream), options.buffer_bytes,
                    options.max_record_bytes, "paragraph", RulesOf(options)) {}

 private:
  StatusOr<size_t> Cut(std::span<char> bytes, bool at_end) override {
    const std::string_view text(bytes.data(), bytes.size());
    size_t used = 0;  // everything before the paragraph we are in
    size_t next = 0;  // the line looked at
    size_t end = 0;   // of the paragraph, without its last line end
    uint64_t lines = 0;
    while (const auto line = FirstLine(text.substr(next), at_end)) {
      next += line->size;
      ++lines;
      if (!line->text.empty()) {
        end = line->text.data() + line->text.size() - text.data();
        if (next < text.size() || !at_end) continue;
      }
      if (end > used) {
        PENSTOCK_RETURN_IF_ERROR(Add(text.substr(used, end - used)));
      }
      used = next;
      PassLines(std::exchange(lines, 0));
    }
    return used;
  }
};

class FileReader final : public TextRecords {
 public:
  FileReader(std::unique_ptr<ByteStream> stream, const TextReadOptions& options)
      : TextRecords(std::move(stream), options.buffer_bytes,
                    options.max_record_bytes, "file", RulesOf(options)) {}

 private:
  StatusOr<size_t> Cut(std::span<char> bytes, bool at_end) override {
    if (!at_end || bytes.empty()) return size_t{0};
    PENSTOCK_RETURN_IF_ERROR(Add({bytes.data(), bytes.size()}));
    return bytes.size();
  }
};

}  // namespace

StatusOr<std::unique_ptr<RecordReader>> OpenText(FileSystem& files,
                                                 const std::string& path,
                                                 TextReadOptions options) {
  PENSTOCK_ASSIGN_OR_RETURN(auto stream,
                            OpenStream(files, path, options.compression));
  return ReadText(std::move(stream), options);
}

std::unique_ptr<RecordReader> ReadText(std::unique_ptr<ByteStream> stream,
                                       TextReadOptions options) {
  switch (options.unit) {
    case TextUnit::kLine:
      return std::make_unique<LineReader>(std::move(stream), options);
    case TextUnit::kParagraph:
      return std::make_unique<ParagraphReader>(std::move(stream), options);
    case TextUnit::kFile:
      break;
  }
  return std::make_unique<FileReader>(std::move(stream), options);
}

}  // namespace penstock
