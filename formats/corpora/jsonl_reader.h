// Reads the text of one field out of each line of a JSON Lines file.
// docs/formats/text.md says what is accepted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "formats/corpora/json_check.h"
#include "formats/files/callback.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/records/bad_part.h"
#include "formats/records/record_reader.h"
#include "formats/streams/byte_stream.h"

namespace penstock {

struct JsonlReadOptions {
  Compression compression = Compression::kNone;
  // The field that holds the text; "a.b" looks inside "a".
  std::string field = "text";
  // Asked about each line that gives no record, but for one that is too long.
  // Without it such a line is the end of the file, with that error.
  OnBadPart on_bad_part = nullptr;
  JsonLeniency leniency = {};
  // Told "f.jsonl:17" for each line where a name of the path comes twice; the
  // last of them counts.
  Callback<void(std::string_view)> on_repeated_field = nullptr;
  // Bytes asked of the file at once; also about the size of a block.
  size_t buffer_bytes = 256 << 10;
  // A longer line is kResourceExhausted.
  uint64_t max_record_bytes = 1ull << 30;
  // So is a line longer than this. While it is parsed a line takes up to 14
  // times its size, so this bounds a reader to 2 GiB.
  uint64_t max_json_line_bytes = 128 << 20;
};

// Blank lines are no records. Every line is parsed and validated as a whole, so
// a bad one never touches its neighbours.
// Errors:  those of ByteStream; each names "f.jsonl:17". kDataLoss for a line
//          that is not one JSON document, with the column; kInvalidArgument
//          where the field is missing or no string, for UTF-16 and UTF-32;
//          kResourceExhausted for a long line, for 1024 levels and more.
StatusOr<std::unique_ptr<RecordReader>> OpenJsonl(
    FileSystem& files, const std::string& path, JsonlReadOptions options = {});

// The same for the bytes of a file that lies elsewhere, unwrapped.
std::unique_ptr<RecordReader> ReadJsonl(std::unique_ptr<ByteStream> stream,
                                        JsonlReadOptions options = {});

}  // namespace penstock
