#include "tools/datagen/shard_set.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "formats/datasets/shard_names.h"
#include "formats/files/crc32c.h"
#include "formats/files/status_or.h"
#include "formats/index/record_index.h"
#include "formats/index/record_index_build.h"

namespace penstock {
namespace {

std::string FileName(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

StatusOr<uint32_t> ChecksumOfFile(FileSystem& files, const std::string& path,
                                  uint64_t size_bytes) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::unique_ptr<ReadableFile> file,
                            files.OpenForRead(path));
  std::vector<char> block(1 << 20);
  uint32_t crc = 0;
  for (uint64_t offset = 0; offset < size_bytes;) {
    PENSTOCK_ASSIGN_OR_RETURN(const size_t n, file->ReadAt(offset, block));
    if (n == 0) return DataLossError(path + ": shrank after writing");
    crc = ExtendCrc32c(crc, std::string_view(block.data(), n));
    offset += n;
  }
  return crc;
}

}  // namespace

ShardSet::ShardSet(FileSystem& files, std::string length_name,
                   Compression compression)
    : files_(files),
      length_name_(std::move(length_name)),
      compression_(compression) {}

StatusOr<std::unique_ptr<ShardSet>> ShardSet::Create(
    FileSystem& files, std::string base, uint32_t shards,
    const TfRecordWriteOptions& options, std::string length_name) {
  std::unique_ptr<ShardSet> set(
      new ShardSet(files, std::move(length_name), options.compression));
  for (uint32_t s = 0; s < shards; ++s) {
    Shard shard;
    shard.path = ShardName(base, s, shards);
    PENSTOCK_ASSIGN_OR_RETURN(shard.writer,
                              CreateTfRecord(files, shard.path, options));
    set->shards_.push_back(std::move(shard));
  }
  return set;
}

Status ShardSet::Append(std::string_view record, uint32_t length) {
  Shard& shard = shards_[records_ % shards_.size()];
  if (compression_ == Compression::kNone) {
    shard.offsets.push_back(shard.writer->framed_bytes());
  }
  if (compression_ != Compression::kZlib) shard.lengths.push_back(length);
  ++records_;
  return shard.writer->Append(record);
}

Status ShardSet::WriteIndex(Shard& shard, const FileInfo& info) {
  std::vector<LengthColumn> columns;
  columns.push_back({length_name_, std::move(shard.lengths)});
  if (compression_ == Compression::kNone) {
    return RecordIndex(std::move(shard.offsets), std::move(columns), info)
        .Save(files_, shard.path);
  }
  PENSTOCK_ASSIGN_OR_RETURN(const RecordIndex places,
                            BuildRecordIndex(files_, shard.path,
                                             {.compression = compression_,
                                              .check = IndexCheck::kHeaders}));
  PENSTOCK_ASSIGN_OR_RETURN(const RecordIndex index,
                            places.WithColumns(std::move(columns)));
  return index.Save(files_, shard.path);
}

StatusOr<std::vector<ManifestShard>> ShardSet::Finish() {
  std::vector<ManifestShard> summaries;
  for (Shard& shard : shards_) {
    PENSTOCK_RETURN_IF_ERROR(shard.writer->Finish());
    PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, files_.Stat(shard.path));
    if (compression_ != Compression::kZlib) {
      PENSTOCK_RETURN_IF_ERROR(WriteIndex(shard, info));
    }
    PENSTOCK_ASSIGN_OR_RETURN(
        const uint32_t crc,
        ChecksumOfFile(files_, shard.path, info.size_bytes));
    summaries.push_back({.file = FileName(shard.path),
                         .records = shard.writer->records(),
                         .size_bytes = info.size_bytes,
                         .crc32c = crc});
  }
  return summaries;
}

}  // namespace penstock
