// Reads every record of some TFRecord files, the files and parts of large ones
// side by side.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/open.h"
#include "formats/records/record_chain.h"

#include "formats/records/record_reader.h"
#include "formats/records/recovery.h"
#include "tools/programs/progress.h"

namespace penstock {

// What reading one file to its end, or to its first defect, gave.
struct FileScan {
  std::string path;
  uint64_t records = 0;
  uint64_t record_bytes = 0;  // without framing
  uint64_t file_bytes = 0;    // as stored
  RecordChain chain;          // of all records, where asked for
  std::vector<SkippedRegion> skipped;
  Status status;  // why it ended early
};

struct ScanOptions {
  std::optional<Compression> compression = std::nullopt;  // FindCompression()
  int threads = 0;  // 0: one for each core
  OnCorruption on_corruption = OnCorruption::kFail;
  bool chain = false;  // also FileScan::chain
  // An uncompressed file of twice this size or more is read in parts side by
  // side, with the same result.
  uint64_t part_bytes = 64ull << 20;
};

// Opens `path` as a TFRecord file, wrapped as FindCompression() says.
StatusOr<std::unique_ptr<RecordReader>> OpenTfRecordFile(
    FileSystem& files, const std::string& path,
    std::optional<Compression> compression, RecoveryOptions recovery = {},
    uint64_t max_record_bytes = OpenOptions().max_record_bytes);

// One result per path, in order. All checksums are verified. The result is that
// of reading each file in sequence, for any number of threads.
// Memory:  for each thread 512 KiB or the largest record; 24 bytes for each bad
//          place.
std::vector<FileScan> ScanFiles(FileSystem& files,
                                const std::vector<std::string>& paths,
                                const ScanOptions& options, Progress& progress);

// Bytes of all files together, as stored; 0 for one that is missing.
uint64_t SizeOfFiles(FileSystem& files, const std::vector<std::string>& paths);

}  // namespace penstock
