// The documents of many files, in order, in chunks of about a mebibyte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/callback.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/open.h"
#include "formats/records/bad_part.h"
#include "formats/records/record_reader.h"
#include "tools/programs/counted_files.h"
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
  // Bytes of all inputs, as stored, that were read for all up to this chunk:
  // in a file a buffer more than its documents take.
  uint64_t input_bytes_done = 0;

  size_t size() const { return ends.size(); }
  std::string_view document(size_t d) const {
    const size_t begin = d == 0 ? 0 : ends[d - 1];
    return std::string_view(text).substr(begin, ends[d] - begin);
  }
};

// What a program does about a bad line, row, document, member or file. How many
// may be left out OpenOptions::recovery.total says, for damage too.
struct BadInputOptions {
  bool leave_out = false;  // the rest is read; otherwise it ends the reading
  // More than this part of documents and places skipped together is an error,
  // found at the end.
  double max_share = 1;
  // Told of each.
  Callback<void(BadPart, const Status&)> on_left_out = nullptr;
};

// How to read a corpus.
struct Corpus {
  OpenOptions open;
  InputChoices choices;
  BadInputOptions bad_input;
};

// What of the inputs gave no document.
struct InputLosses {
  static constexpr size_t kMostNamed = 16;

  struct Kind {
    uint64_t count = 0;
    std::string first;
  };

  uint64_t places = 0;             // that were skipped, of any kind
  uint64_t bytes = 0;              // of TFRecord regions
  std::vector<std::string> named;  // the first kMostNamed places, and why
  uint64_t empty_files = 0;        // without any document or damage
  std::string first_empty;
  // Members of archives by what they are, "hard link".
  std::map<std::string, Kind> left_out;
  // JSONL lines where the field comes twice.
  Kind repeated_fields;
};

// Where corpus.open.recovery says skip or resync, TFRecord files are read so,
// and JSONL lines that are no JSON are left out; damage in other kinds ends the
// reading unless corpus.bad_input leaves it out. A file that turns bad gives
// the documents before that place.
//
// Threads: one at a time. `input` must outlive the reader.
class DocumentReader {
 public:
  DocumentReader(FileSystem& files, const InputFiles& input, Corpus corpus);
  DocumentReader(const DocumentReader&) = delete;
  DocumentReader& operator=(const DocumentReader&) = delete;

  // A chunk without documents says that all files are read.
  // Errors:  those of OpenRecords and its readers, with the words of flags;
  //          kResourceExhausted where more is left out than may be.
  StatusOr<DocumentChunk> Next();

  // Of what was read so far.
  const InputLosses& losses() const { return losses_; }

 private:
  StatusOr<DocumentChunk> Fill();
  Status OpenNext();
  void EndFile();
  // OK where the part may be left out; otherwise why not.
  Status LeaveOut(BadPart part, const Status& why);
  void Count(const std::string& what);
  Status CheckShare() const;

  const InputFiles& input_;
  CountedFiles files_;
  OpenOptions options_;
  const BadInputOptions bad_input_;
  Status over_limit_;
  InputLosses losses_;
  size_t next_bad_ = 0;  // of input_.bad
  size_t next_file_ = 0;
  std::unique_ptr<RecordReader> reader_;
  uint64_t documents_ = 0;
  uint64_t finished_bytes_ = 0;  // of files read to their end
  uint64_t file_bytes_ = 0;      // of the open file, as stored
  uint64_t read_before_ = 0;     // files_.read_bytes() before it
  uint64_t places_before_ = 0;   // losses_.places before it
  bool file_has_documents_ = false;
};

}  // namespace penstock
