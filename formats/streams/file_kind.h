// What a file is, by its name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "formats/files/status_or.h"
#include "formats/records/record_reader.h"

namespace penstock {

enum class FileKind {
  kTfRecord,    // .tfrecord, .tfrecords and shards of them; records as stored
  kText,        // .txt, .md, .rst, .pod ...; records cut as TextUnit says
  kJsonl,       // .jsonl, .ndjson; records are the text of one field
  kCsv,         // .csv; records are the text of one column
  kTsv,         // .tsv, .tab; the same with tabs
  kTar,         // .tar, .tgz; records of the files inside, by their names
  kZip,         // .zip; the same
  k7z,          // .7z; the same
  kWebDataset,  // never by name: a tar whose records are samples
};

// What the name of `path` says: of its last part the end in front of a last
// ".gz", ".zst", ".xz" or ".bz2" and a shard's "-00003-of-00016", in any case.
// Errors:  kInvalidArgument where the name says nothing; the message lists the
//          names that do.
StatusOr<FileKind> KindOfFile(const std::string& path);

// The same without a word where the name says nothing.
std::optional<FileKind> KnownKindOfFile(std::string_view path);

// How the name says that the file is wrapped.
Compression CompressionOfFile(const std::string& path);

}  // namespace penstock
