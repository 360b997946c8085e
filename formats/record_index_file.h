// The bytes of the sidecar; docs/formats/record_index.md has the reasons.
//
//   0     8  "PSTKIDX1"
//   8     4  version, 1
//   12    4  number of length columns
//   16    8  number of records, n
//   24    8  size of the TFRecord file
//   32    8  its modification time, ns since the Unix epoch
//   40    4  CRC-32C of bytes [0, 40)
//   44    4  zero
//   48   8n  offsets of the record headers
//            then for each column:
//         4  bytes of its name, k
//         k  its name
//        4n  lengths
//         4  CRC-32C of all bytes before
//
// All numbers little endian.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "formats/file.h"
#include "formats/record_index.h"

namespace penstock {

struct RecordIndexParts {
  FileInfo file;
  std::vector<uint64_t> offsets;
  std::vector<LengthColumn> columns;
};

// Fills `parts` from an untrusted file. No number in it is believed before the
// bytes it speaks of are known to be there.
// Errors:  kDataLoss, kUnimplemented for a later version.
absl::Status ReadRecordIndexFile(const ReadableFile& file,
                                 RecordIndexParts& parts);

// Errors:  kInvalidArgument where a column has another number of lengths than
//          there are records, a name is empty, too long or there twice, or the
//          offsets are not those of a TFRecord file of that size.
absl::Status WriteRecordIndexFile(FileSystem& files,
                                  const std::string& index_path,
                                  const FileInfo& file,
                                  std::span<const uint64_t> offsets,
                                  std::span<const LengthColumn> columns);

}  // namespace penstock
