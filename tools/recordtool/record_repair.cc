#include "tools/recordtool/record_repair.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "formats/files/status_or.h"
#include "formats/streams/file_kind.h"
#include "formats/tfrecord/tfrecord_writer.h"
#include "tools/recordtool/file_compression.h"
#include "tools/recordtool/record_scan.h"

namespace penstock {
namespace {

Status CheckOutput(FileSystem& files, const std::string& input,
                   const std::string& output, bool replace) {
  const StatusOr<FileInfo> existing = files.Stat(output);
  if (IsNotFound(existing.status())) return OkStatus();
  PENSTOCK_RETURN_IF_ERROR(existing.status());
  std::error_code ignored;
  if (std::filesystem::equivalent(input, output, ignored)) {
    return InvalidArgumentError(fmt::format(
        "{}: is the damaged file itself; repair it into another", output));
  }
  if (replace || existing->is_stream) return OkStatus();
  return AlreadyExistsError(
      fmt::format("{}: exists already; --force replaces it", output));
}

}  // namespace

uint64_t LargestRecordIn(uint64_t file_bytes, Compression compression) {
  // Deflate makes at most 258 bytes of 2 bits.
  constexpr uint64_t kMostRatio = 1032;
  const uint64_t ratio = compression == Compression::kNone ? 1 : kMostRatio;
  constexpr uint64_t kMost = uint64_t{1} << 62;
  return file_bytes > kMost / ratio ? kMost : file_bytes * ratio;
}

StatusOr<Repair> RepairTfRecord(FileSystem& files, const std::string& input,
                                const std::string& output,
                                const RepairOptions& options,
                                Progress& progress) {
  Repair repair;
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, files.Stat(input));
  repair.input_bytes = info.size_bytes;
  PENSTOCK_RETURN_IF_ERROR(CheckOutput(files, input, output, options.replace));
  PENSTOCK_ASSIGN_OR_RETURN(
      const std::unique_ptr<RecordReader> reader,
      OpenTfRecordFile(
          files, input, options.compression,
          {.on_corruption = OnCorruption::kResync,
           .on_skipped =
               [&repair](const SkippedRegion& region) {
                 repair.skipped.push_back(region);
                 repair.skipped_bytes += region.end - region.begin;
               }},
          LargestRecordIn(info.size_bytes,
                          FindCompression(files, input, options.compression))));
  PENSTOCK_ASSIGN_OR_RETURN(
      const std::unique_ptr<TfRecordWriter> writer,
      CreateTfRecord(files, output,
                     {.compression = CompressionOfFile(output)}));
  while (true) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::optional<RecordBlock> block,
                              reader->NextBlock());
    if (!block.has_value()) break;
    for (const std::string_view record : block->records) {
      PENSTOCK_RETURN_IF_ERROR(writer->Append(record));
      repair.record_bytes += record.size();
    }
    repair.records = writer->records();
    progress.Update(writer->framed_bytes(), repair.records);
  }
  if (repair.records == 0 && !repair.skipped.empty()) {
    return DataLossError(
        fmt::format("{}: no record is good, nothing is written; first: {}",
                    input, repair.skipped.front().reason));
  }
  PENSTOCK_RETURN_IF_ERROR(writer->Finish());
  progress.Finish(repair.input_bytes, repair.records);
  return repair;
}

}  // namespace penstock
