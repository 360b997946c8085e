#include "tools/record_scan.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "formats/open.h"
#include "formats/status.h"
#include "formats/tfrecord_framing.h"
#include "pipeline/workers.h"

namespace penstock {
namespace {

// How far all files together are.
struct Done {
  std::atomic<uint64_t> bytes = 0;
  std::atomic<uint64_t> records = 0;
};

absl::Status ScanFile(FileSystem& files, const ScanOptions& options,
                      FileScan& scan, Done& done, Progress& progress) {
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, files.Stat(scan.path));
  scan.file_bytes = info.size_bytes;
  PENSTOCK_ASSIGN_OR_RETURN(
      const std::unique_ptr<RecordReader> reader,
      OpenTfRecordFile(files, scan.path, options.compression,
                       {.on_corruption = options.on_corruption,
                        .on_skipped = [&scan](const SkippedRegion& region) {
                          scan.skipped.push_back(region);
                        }}));
  uint64_t told_bytes = 0;
  while (true) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::optional<RecordBlock> block,
                              reader->NextBlock());
    if (!block.has_value()) break;
    uint64_t bytes = 0;
    for (const std::string_view record : block->records) bytes += record.size();
    scan.records += block->records.size();
    scan.record_bytes += bytes;
    // What is unpacked may be more than the file.
    const uint64_t framed =
        bytes + block->records.size() * kTfRecordFramingBytes;
    const uint64_t step = std::min(framed, scan.file_bytes - told_bytes);
    told_bytes += step;
    done.records += block->records.size();
    progress.Update(done.bytes += step, done.records);
  }
  done.bytes += scan.file_bytes - told_bytes;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<RecordReader>> OpenTfRecordFile(
    FileSystem& files, const std::string& path,
    std::optional<Compression> compression, RecoveryOptions recovery) {
  return OpenRecords(files, path,
                     {.kind = FileKind::kTfRecord,
                      .compression = compression,
                      .recovery = std::move(recovery)});
}

std::vector<FileScan> ScanFiles(FileSystem& files,
                                const std::vector<std::string>& paths,
                                const ScanOptions& options,
                                Progress& progress) {
  std::vector<FileScan> scans(paths.size());
  Done done;
  {
    const int cores =
        std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    Workers workers(options.threads > 0 ? options.threads : cores);
    for (size_t i = 0; i < paths.size(); ++i) {
      scans[i].path = paths[i];
      workers.Run([&, i] {
        scans[i].status = ScanFile(files, options, scans[i], done, progress);
      });
    }
  }  // waits for all of them
  progress.Finish(done.bytes, done.records);
  return scans;
}

uint64_t SizeOfFiles(FileSystem& files, const std::vector<std::string>& paths) {
  uint64_t bytes = 0;
  for (const std::string& path : paths) {
    const absl::StatusOr<FileInfo> info = files.Stat(path);
    if (info.ok()) bytes += info->size_bytes;
  }
  return bytes;
}

}  // namespace penstock
