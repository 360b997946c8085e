#include "tools/record_scan.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "formats/open.h"
#include "formats/status.h"
#include "pipeline/workers.h"

namespace penstock {
namespace {

absl::Status ScanFile(FileSystem& files, std::optional<Compression> compression,
                      FileScan& scan) {
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, files.Stat(scan.path));
  scan.file_bytes = info.size_bytes;
  PENSTOCK_ASSIGN_OR_RETURN(const std::unique_ptr<RecordReader> reader,
                            OpenTfRecordFile(files, scan.path, compression));
  while (true) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::optional<RecordBlock> block,
                              reader->NextBlock());
    if (!block.has_value()) return absl::OkStatus();
    scan.records += block->records.size();
    for (const std::string_view record : block->records) {
      scan.record_bytes += record.size();
    }
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<RecordReader>> OpenTfRecordFile(
    FileSystem& files, const std::string& path,
    std::optional<Compression> compression) {
  return OpenRecords(files, path,
                     {.kind = FileKind::kTfRecord, .compression = compression});
}

std::vector<FileScan> ScanFiles(FileSystem& files,
                                const std::vector<std::string>& paths,
                                std::optional<Compression> compression,
                                int threads, Progress& progress) {
  std::vector<FileScan> scans(paths.size());
  std::atomic<uint64_t> done_bytes = 0;
  std::atomic<uint64_t> records = 0;
  {
    Workers workers(
        threads > 0 ? threads
                    : std::max(1, static_cast<int>(
                                      std::thread::hardware_concurrency())));
    for (size_t i = 0; i < paths.size(); ++i) {
      scans[i].path = paths[i];
      workers.Run([&, i] {
        scans[i].status = ScanFile(files, compression, scans[i]);
        done_bytes += scans[i].file_bytes;
        records += scans[i].records;
        progress.Update(done_bytes, records);
      });
    }
  }  // waits for all of them
  progress.Finish(done_bytes, records);
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
