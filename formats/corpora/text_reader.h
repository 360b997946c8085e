// Reads text files: a record is a line, a paragraph or the whole file.
// docs/formats/text.md says exactly where records begin and end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "formats/corpora/text_unit.h"
#include "formats/corpora/utf8_check.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/records/bad_part.h"
#include "formats/records/record_reader.h"
#include "formats/streams/byte_stream.h"

namespace penstock {

struct TextReadOptions {
  Compression compression = Compression::kNone;
  TextUnit unit = TextUnit::kParagraph;
  NotUtf8 invalid_utf8 = NotUtf8::kFail;
  // Asked about each record that is refused by invalid_utf8 or holds NUL.
  OnBadPart on_bad_part = nullptr;
  // Bytes asked of the file at once; also about the size of a block.
  size_t buffer_bytes = 256 << 10;
  // A longer line, paragraph or file is kResourceExhausted.
  uint64_t max_record_bytes = 1ull << 30;
};

// Bytes are delivered as they are but for line ends around records and a UTF-8
// byte order mark at the start of the file. Records are located as "f.txt:17",
// the line where they begin.
// Errors:  those of ByteStream; kInvalidArgument for UTF-16, UTF-32, NUL and
//          files that are certainly no text; kDataLoss for bytes that are not
//          UTF-8.
StatusOr<std::unique_ptr<RecordReader>> OpenText(FileSystem& files,
                                                 const std::string& path,
                                                 TextReadOptions options = {});

// The same for the bytes of a file that lies elsewhere, unwrapped.
std::unique_ptr<RecordReader> ReadText(std::unique_ptr<ByteStream> stream,
                                       TextReadOptions options = {});

}  // namespace penstock
