#include "tools/datagen/shard_set.h"

#include <utility>

#include "formats/datasets/shard_names.h"
#include "formats/files/file_sample.h"
#include "formats/files/memory_guard.h"
#include "formats/files/open_file_cache.h"
#include "formats/files/status_or.h"
#include "formats/index/record_index.h"
#include "formats/index/record_index_build.h"
#include "pipeline/tasks/parallel_for.h"

namespace penstock {
namespace {

std::string FileName(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// Fills in what the bytes of the file are.
Status Summarize(FileSystem& files, const std::string& path,
                 ManifestShard& shard) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::unique_ptr<ReadableFile> file,
                            files.OpenForRead(path));
  PENSTOCK_ASSIGN_OR_RETURN(shard.sample, SampleFile(*file, shard.size_bytes));
  PENSTOCK_ASSIGN_OR_RETURN(shard.crc32c,
                            ChecksumOfFile(*file, shard.size_bytes));
  return OkStatus();
}

}  // namespace

ShardSet::ShardSet(FileSystem& files, std::string length_name,
                   Compression compression)
    : files_(files, OpenFileBudget()),
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
                              CreateTfRecord(set->files_, shard.path, options));
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
  shard.chain.Add(record);
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

StatusOr<ManifestShard> ShardSet::FinishShard(Shard& shard) {
  PENSTOCK_RETURN_IF_ERROR(shard.writer->Finish());
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, files_.Stat(shard.path));
  if (compression_ != Compression::kZlib) {
    PENSTOCK_RETURN_IF_ERROR(WriteIndex(shard, info));
  }
  ManifestShard summary = {.file = FileName(shard.path),
                           .records = shard.writer->records(),
                           .size_bytes = info.size_bytes,
                           .records_crc32c = shard.chain.value()};
  PENSTOCK_RETURN_IF_ERROR(Summarize(files_, shard.path, summary));
  return summary;
}

StatusOr<std::vector<ManifestShard>> ShardSet::Finish(TaskQueue& tasks) {
  // First, as packing runs on the same threads.
  for (Shard& shard : shards_) {
    PENSTOCK_RETURN_IF_ERROR(shard.writer->WriteRest());
  }
  std::vector<ManifestShard> summaries(shards_.size());
  std::vector<Status> results(shards_.size());
  PENSTOCK_RETURN_IF_ERROR(
      ParallelFor(tasks, shards_.size(), {}, [&](uint64_t i) {
        Shard& shard = shards_[i];
        results[i] =
            GuardMemory(NoMemory(shard.path, "finish it"), [&]() -> Status {
              PENSTOCK_ASSIGN_OR_RETURN(summaries[i], FinishShard(shard));
              return OkStatus();
            });
      }));
  for (const Status& result : results) PENSTOCK_RETURN_IF_ERROR(result);
  PENSTOCK_RETURN_IF_ERROR(files_.SyncFolders());
  return summaries;
}

}  // namespace penstock
