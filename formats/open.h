// Opens any corpus or record file by what its name says. The one file that
// knows every reader. Content is looked at to refuse what is no text, and to
// find Examples where look_for_examples asks for them; for nothing else.
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
#include "formats/corpora/utf8_check.h"
#include "formats/files/callback.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/records/bad_part.h"
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
  // What a record of text is; by default a paragraph. Dataset::Corpus and the
  // programs take a file for one, unless it is all they are to read.
  std::optional<TextUnit> text_unit = std::nullopt;
  // The field that holds a JSONL document's text; "a.b" looks inside "a".
  std::string json_field = "text";
  // The feature of a tf.train.Example that is the record of a TFRecord file;
  // "-" and nullopt give records as they are stored, but for:
  std::optional<std::string> example_feature = std::nullopt;
  // Without example_feature: where the first record of a TFRecord file is an
  // Example, its feature "text" is the record. Dataset::Corpus does so unasked.
  bool look_for_examples = false;
  // Asked about each part of a file that gives no record; OK leaves it out.
  // Without it such a part is the end of the file, with that error.
  OnBadPart on_bad_part = nullptr;
  // Of text, JSONL and CSV.
  NotUtf8 invalid_utf8 = NotUtf8::kFail;
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
  // Which members of an archive are read, by their names; null takes all.
  Callback<bool(std::string_view)> wants_member = nullptr;
  // Told of each member that gives no record, and what it is: "hard link",
  // "sparse file", "archive in an archive" ...
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

// Whether a record of a TFRecord file may be a feature of what is stored.
bool TakesExamples(const OpenOptions& options);

// Errors:  those of the reader; kInvalidArgument where the name says nothing;
//          kResourceExhausted where memory ends, while reading too.
StatusOr<std::unique_ptr<RecordReader>> OpenRecords(FileSystem& files,
                                                    const std::string& path,
                                                    OpenOptions options = {});

}  // namespace penstock
