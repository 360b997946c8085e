// Opens any corpus or record file by what its name says. The one file that
// knows every reader; nothing is ever sniffed from content.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "formats/file.h"
#include "formats/record_reader.h"
#include "formats/text_unit.h"

namespace penstock {

enum class FileKind {
  kTfRecord,  // .tfrecord, .tfrecords and shards of them; records as stored
  kText,      // .txt, .md, .rst, .pod ...; records cut as TextUnit says
  kJsonl,     // .jsonl, .ndjson; records are the text of one field
};

struct OpenOptions {
  // What the file is; by default its name says (a last ".gz" is taken off).
  std::optional<FileKind> kind = std::nullopt;
  // How it is wrapped; by default gzip for ".gz", otherwise none.
  std::optional<Compression> compression = std::nullopt;
  TextUnit text_unit = TextUnit::kParagraph;
  // The field that holds a JSONL document's text; "a.b" looks inside "a".
  std::string json_field = "text";
  // Told of each JSONL line that gives no record, and why; the line is left
  // out. Without it such a line is the end of the file, with that error.
  std::function<void(const absl::Status&)> on_bad_line = nullptr;
  // A longer record or line is kResourceExhausted.
  uint64_t max_record_bytes = 1ull << 30;
};

// What the name of `path` says: of its last part the end after a last ".gz" and
// a shard's "-00003-of-00016", in any case.
// Errors:  kInvalidArgument where the name says nothing; the message lists the
//          names that do.
absl::StatusOr<FileKind> KindOfFile(const std::string& path);
Compression CompressionOfFile(const std::string& path);

absl::StatusOr<std::unique_ptr<RecordReader>> OpenRecords(
    FileSystem& files, const std::string& path, OpenOptions options = {});

}  // namespace penstock
