// Reads TFRecord files in sequence, both checksums of every record verified.
// docs/formats/tfrecord.md has the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/records/record_reader.h"
#include "formats/records/recovery.h"

namespace penstock {

struct TfRecordReadOptions {
  Compression compression = Compression::kNone;
  // Bytes asked of the file at once; also about the size of a block. What fits
  // a core's own cache is checked there.
  size_t buffer_bytes = 512 << 10;
  // A record whose length field says more is kResourceExhausted.
  uint64_t max_record_bytes = 1ull << 30;
  // What to do about damage; by default it ends the file. A record over
  // max_record_bytes and a file of another type always do.
  RecoveryOptions recovery = {};
};

// A caller that knows some records to be right need not have them read again.
class TfRecordSequence : public RecordReader {
 public:
  // Goes on at `offset`, as if what lies before it had been read; there record
  // `record` begins. It must not lie before the end of the block given last.
  virtual Status GoTo(uint64_t offset, uint64_t record) = 0;
};

// Errors:  truncated header, data or footer, wrong checksum: kDataLoss;
//          a gzip file read as plain: kInvalidArgument;
//          a file that changes while it is read: kFailedPrecondition;
//          more damage than may be skipped: kResourceExhausted.
StatusOr<std::unique_ptr<TfRecordSequence>> OpenTfRecord(
    FileSystem& files, const std::string& path,
    TfRecordReadOptions options = {});

}  // namespace penstock
