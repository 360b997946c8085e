// Opens any corpus or record file by what its name says. The one file that
// knows every reader; nothing is ever sniffed from content.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "formats/archives/archive_options.h"
#include "formats/corpora/csv_form.h"
#include "formats/corpora/json_check.h"
#include "formats/corpora/text_unit.h"
#include "formats/files/callback.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/records/record_reader.h"
#include "formats/records/recovery.h"
#include "formats/streams/file_kind.h"
#include "formats/streams/unpack_limits.h"

namespace penstock {

// What to make of a member of an archive whose name does not say what it is.
enum class OtherMembers {
  kWhole,   // one record, its bytes as they are
  kSkip,    // nothing; told to on_skipped_member
  kRefuse,  // kInvalidArgument
};

struct OpenOptions {
  // What the file is; by default its name says (see file_kind.h).
  std::optional<FileKind> kind = std::nullopt;
  // How it is wrapped; by default as its name says.
  std::optional<Compression> compression = std::nullopt;
  TextUnit text_unit = TextUnit::kParagraph;
  // The field that holds a JSONL document's text; "a.b" looks inside "a".
  std::string json_field = "text";
  // Told of each JSONL line that gives no record, and why; the line is left
  // out. Without it such a line is the end of the file, with that error.
  Callback<void(const Status&)> on_bad_line = nullptr;
  JsonLeniency json_leniency = {};
  // Told "f.jsonl:17" for each JSONL line where a name of the path comes twice;
  // the last of them counts.
  Callback<void(std::string_view)> on_repeated_field = nullptr;
  // The column that holds a CSV or TSV row's text: its name, or "#2".
  std::string csv_column = "text";
  CsvHeader csv_header = CsvHeader::kFirstRow;
  CsvQuotes csv_quotes = CsvQuotes::kRfc4180;
  // By default a comma for CSV and a tab for TSV.
  std::optional<char> csv_delimiter = std::nullopt;

  // What the members of an archive are; by default their names say.
  std::optional<FileKind> member_kind = std::nullopt;
  OtherMembers other_members = OtherMembers::kWhole;
  // Told of each member that gives no record, and why.
  Callback<void(std::string_view, std::string_view)> on_skipped_member =
      nullptr;
  TarEnd tar_end = TarEnd::kRequired;
  ArchiveLimits archive_limits = {};
  // The component of a WebDataset sample that is the record.
  std::string sample_extension = "txt";

  // Of a file, or member, that is compressed; TFRecord files have no limit.
  UnpackLimits unpack = {};
  // A longer record, line or row is kResourceExhausted.
  uint64_t max_record_bytes = 1ull << 30;
  // So is a longer JSONL line, which takes up to 14 times its size to parse.
  uint64_t max_json_line_bytes = 128 << 20;
  // What to do about damage in a TFRecord file. Other kinds have no checksums
  // to find the next record by: kInvalidArgument.
  RecoveryOptions recovery = {};
};

// Errors:  those of the reader; kInvalidArgument where the name says nothing;
//          kResourceExhausted where memory ends, while reading too.
StatusOr<std::unique_ptr<RecordReader>> OpenRecords(FileSystem& files,
                                                    const std::string& path,
                                                    OpenOptions options = {});

}  // namespace penstock
