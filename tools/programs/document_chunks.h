// The documents of many files, in order, in chunks of about a mebibyte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/open.h"
#include "formats/records/record_reader.h"
#include "tools/programs/input_files.h"

namespace penstock {

struct DocumentChunk {
  struct Origin {
    size_t file;      // its place among the inputs
    uint64_t number;  // of the document in its file
  };

  std::string text;
  std::vector<size_t> ends;     // of each document in `text`
  std::vector<Origin> origins;  // of each document
  // Bytes of all inputs, as stored, that lie before the end of this chunk. An
  // estimate inside compressed files.
  uint64_t input_bytes_done = 0;

  size_t size() const { return ends.size(); }
  std::string_view document(size_t d) const {
    const size_t begin = d == 0 ? 0 : ends[d - 1];
    return std::string_view(text).substr(begin, ends[d] - begin);
  }
};

// What of the inputs gave no document.
struct InputLosses {
  uint64_t places = 0;       // that were skipped: TFRecord regions, JSONL lines
  uint64_t bytes = 0;        // of those regions
  uint64_t empty_files = 0;  // without any document or damage
  std::string first_empty;
};

// Where options.recovery says skip or resync, TFRecord files are read so, and a
// JSONL line that is not JSON is left out and told to options.on_bad_line, if
// there is one. Damage in other kinds ends the reading under every policy.
//
// Threads: one at a time. `input` must outlive the reader.
class DocumentReader {
 public:
  DocumentReader(FileSystem& files, const InputFiles& input,
                 OpenOptions options);
  DocumentReader(const DocumentReader&) = delete;
  DocumentReader& operator=(const DocumentReader&) = delete;

  // A chunk without documents says that all files are read.
  StatusOr<DocumentChunk> Next();

  // Of what was read so far.
  const InputLosses& losses() const { return losses_; }

 private:
  Status OpenNext();
  void EndFile();
  // Whether the line may be left out; otherwise why not.
  Status SkipLine(const Status& why);

  FileSystem& files_;
  const InputFiles& input_;
  OpenOptions options_;
  Status bad_line_;  // the first that may not be left out
  InputLosses losses_;
  size_t next_file_ = 0;
  std::unique_ptr<RecordReader> reader_;
  uint64_t finished_bytes_ = 0;  // of files read to their end
  uint64_t file_bytes_ = 0;      // of the open file, as stored
  uint64_t read_bytes_ = 0;      // of its documents
  uint64_t file_begin_ = 0;      // losses_.places before it
  bool file_has_documents_ = false;
};

}  // namespace penstock
