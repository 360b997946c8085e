// The one interface behind which every sequence of records is read.
//
// Implementations form a star around this header: tfrecord_reader, text_reader,
// jsonl_reader, csv_reader, archive_reader, webdataset_reader. formats/open.h
// picks one by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/files/status_or.h"

namespace penstock {

// How a file's bytes are wrapped.
enum class Compression { kNone, kGzip, kZlib, kZstd, kXz, kBzip2 };

// "none", "gzip", "zlib", "zstd", "xz", "bzip2".
std::string_view CompressionName(Compression compression);

// Some records that follow each other in one file. The views live until the
// reader that gave them is asked for the next block or is destroyed.
struct RecordBlock {
  std::span<const std::string_view> records;
  uint64_t first = 0;  // number of records[0] in its file
};

// Reads the records of one file from its start, whole blocks at a time.
//
// Threads: one at a time.
class RecordReader {
 public:
  virtual ~RecordReader() = default;

  // The next block, never empty; nullopt at the proven end of the file.
  // Records before a defect are delivered first, then the error, for ever.
  // Errors:  kDataLoss, kResourceExhausted, kUnavailable, kInvalidArgument;
  //          each names the file and the offset or line.
  virtual StatusOr<std::optional<RecordBlock>> NextBlock() = 0;

  // Where record `i` of the block given last came from, for messages:
  // "a.tfrecord: record 92 at offset 4096", "b.jsonl:17".
  virtual std::string Locate(size_t i) const = 0;

  virtual const std::string& path() const = 0;
};

}  // namespace penstock
