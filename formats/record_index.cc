#include "formats/record_index.h"

#include <fmt/format.h>

#include "formats/record_index_file.h"
#include "formats/status.h"
#include "formats/tfrecord_framing.h"
#include "formats/tfrecord_reader.h"

namespace penstock {
namespace {

absl::Status CheckFresh(const std::string& path, const FileInfo& indexed,
                        const FileInfo& now) {
  std::string difference;
  if (now.size_bytes != indexed.size_bytes) {
    difference = fmt::format("was made for {} bytes, the file has {}",
                             indexed.size_bytes, now.size_bytes);
  } else if (now.mtime_ns != indexed.mtime_ns) {
    difference =
        "was made for another modification time (the file was copied without "
        "it, or rewritten)";
  } else {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      fmt::format("{}: the index {} is stale: it {}; run: recordtool index {}",
                  path, IndexPath(path), difference, path));
}

}  // namespace

RecordIndex::RecordIndex(std::vector<uint64_t> offsets,
                         std::vector<LengthColumn> columns, FileInfo file)
    : offsets_(std::move(offsets)), columns_(std::move(columns)), file_(file) {}

absl::StatusOr<RecordIndex> RecordIndex::Build(FileSystem& files,
                                               const std::string& path) {
  // Taken before the first byte is read: a later change makes the index stale.
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, files.Stat(path));
  PENSTOCK_ASSIGN_OR_RETURN(const auto reader, OpenTfRecord(files, path));
  std::vector<uint64_t> offsets;
  uint64_t offset = 0;
  while (true) {
    PENSTOCK_ASSIGN_OR_RETURN(const auto block, reader->NextBlock());
    if (!block.has_value()) break;
    for (const std::string_view record : block->records) {
      offsets.push_back(offset);
      offset += kTfRecordFramingBytes + record.size();
    }
  }
  if (offset != info.size_bytes) {
    return absl::FailedPreconditionError(
        fmt::format("{}: file changed while reading (size {} -> {})", path,
                    info.size_bytes, offset));
  }
  return RecordIndex(std::move(offsets), {}, info);
}

absl::StatusOr<RecordIndex> RecordIndex::Load(FileSystem& files,
                                              const std::string& path) {
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo now, files.Stat(path));
  const std::string index_path = IndexPath(path);
  auto file = files.OpenForRead(index_path);
  if (absl::IsNotFound(file.status())) {
    return absl::NotFoundError(
        fmt::format("{}: has no index {}; run: recordtool index {}", path,
                    index_path, path));
  }
  PENSTOCK_RETURN_IF_ERROR(file.status());
  RecordIndexParts parts;
  PENSTOCK_RETURN_IF_ERROR(ReadRecordIndexFile(**file, parts));
  PENSTOCK_RETURN_IF_ERROR(CheckFresh(path, parts.file, now));
  return RecordIndex(std::move(parts.offsets), std::move(parts.columns),
                     parts.file);
}

absl::Status RecordIndex::Save(FileSystem& files,
                               const std::string& path) const {
  return WriteRecordIndexFile(files, IndexPath(path), file_, offsets_,
                              columns_);
}

uint64_t RecordIndex::size_bytes(uint64_t i) const {
  const uint64_t end =
      i + 1 < offsets_.size() ? offsets_[i + 1] : file_.size_bytes;
  return end - offsets_[i] - kTfRecordFramingBytes;
}

const LengthColumn* RecordIndex::FindColumn(std::string_view name) const {
  for (const LengthColumn& column : columns_) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

std::string IndexPath(const std::string& path) { return path + ".index"; }

}  // namespace penstock
