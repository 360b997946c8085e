// Writes one TFRecord file that appears whole or not at all.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "formats/file.h"
#include "formats/record_reader.h"

namespace penstock {

struct TfRecordWriteOptions {
  Compression compression = Compression::kNone;
};

// Destruction without Finish() leaves no file.
//
// Threads: one at a time.
class TfRecordWriter {
 public:
  virtual ~TfRecordWriter() = default;

  virtual absl::Status Append(std::string_view record) = 0;
  // Syncs, renames to the final name and syncs the folder.
  virtual absl::Status Finish() = 0;

  virtual uint64_t records() const = 0;
  // Bytes of records and framing, before compression.
  virtual uint64_t framed_bytes() const = 0;
};

absl::StatusOr<std::unique_ptr<TfRecordWriter>> CreateTfRecord(
    FileSystem& files, const std::string& path,
    TfRecordWriteOptions options = {});

}  // namespace penstock
