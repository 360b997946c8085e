// Writes one TFRecord file that appears whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "formats/files/callback.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/records/record_reader.h"

namespace penstock {

// How a gzip file is cut into members, each of whole records, so that they can
// be compressed and read side by side and reached by number.
struct GzipMembers {
  // A member ends with the record that makes it this long, before compression.
  // Larger ones are packed better and cost more to reach one record in.
  size_t member_bytes = 256 << 10;
  // Runs a task on some other thread, soon; it must not wait for this writer.
  // Without it Append() compresses. The file is the same.
  Callback<void(Callback<void()>)> run_task = nullptr;
  // With run_task, how many members may be packed or wait to be written at
  // once: so many times member_bytes of memory, and half as much again.
  size_t most_ahead = 8;
};

struct TfRecordWriteOptions {
  Compression compression = Compression::kNone;
  GzipMembers gzip = {};
};

// Destruction without Finish() leaves no file.
//
// Threads: one at a time.
// Errors:  kResourceExhausted where the disk is full or memory ends. After an
//          error every call gives it again.
class TfRecordWriter {
 public:
  virtual ~TfRecordWriter() = default;

  virtual Status Append(std::string_view record) = 0;
  // What Finish() does before it syncs, for those who let many writers sync at
  // once. Nothing may be appended any more.
  virtual Status WriteRest() = 0;
  // Writes the rest, syncs, renames to the final name and syncs the folder.
  virtual Status Finish() = 0;

  virtual uint64_t records() const = 0;
  // Bytes of records and framing, before compression.
  virtual uint64_t framed_bytes() const = 0;
};

StatusOr<std::unique_ptr<TfRecordWriter>> CreateTfRecord(
    FileSystem& files, const std::string& path,
    TfRecordWriteOptions options = {});

}  // namespace penstock
