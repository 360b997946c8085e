#include "tools/datagen/shard_set.h"

#include <fmt/format.h>

#include <random>
#include <utility>

#include "formats/datasets/shard_names.h"
#include "formats/files/file_sample.h"
#include "formats/files/memory_guard.h"
#include "formats/files/open_file_cache.h"
#include "formats/files/status_or.h"
#include "formats/index/record_index_build.h"
#include "formats/index/record_index_save.h"
#include "pipeline/tasks/parallel_for.h"

namespace penstock {
namespace {

std::string FileName(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// Hidden, and of another name in every run.
std::string SpoolPath(const std::string& base) {
  std::random_device random;
  const size_t name = base.find_last_of('/') + 1;  // npos + 1 == 0
  return fmt::format("{}.{}.index.{:08x}{:08x}.tmp", base.substr(0, name),
                     base.substr(name), random(), random());
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

ShardSet::ShardSet(FileSystem& files, const std::string& base, uint32_t shards,
                   std::string length_name, Compression compression)
    : files_(files, OpenFileBudget()),
      length_name_(std::move(length_name)),
      compression_(compression),
      index_(files, SpoolPath(base), shards) {}

StatusOr<std::unique_ptr<ShardSet>> ShardSet::Create(
    FileSystem& files, std::string base, uint32_t shards,
    const TfRecordWriteOptions& options, std::string length_name) {
  std::unique_ptr<ShardSet> set(new ShardSet(
      files, base, shards, std::move(length_name), options.compression));
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
  if (compression_ != Compression::kZlib) {
    PENSTOCK_RETURN_IF_ERROR(index_.Add(shard.writer->framed_bytes(), length));
  }
  shard.chain.Add(record);
  ++records_;
  return shard.writer->Append(record);
}

Status ShardSet::WriteIndex(uint32_t number, const FileInfo& info) {
  const std::string& path = shards_[number].path;
  StreamedIndex index = {
      .records = index_.records_of(number),
      .offsets = [&](auto take) { return index_.EachOffset(number, take); },
      .members = {},
      .columns = {{.name = length_name_,
                   .lengths =
                       [&](auto take) {
                         return index_.EachLength(number, take);
                       }}},
      .file = info};
  if (compression_ == Compression::kGzip) {
    PENSTOCK_ASSIGN_OR_RETURN(index.members, FindGzipMembers(files_, path));
  }
  return SaveRecordIndex(files_, path, index);
}

StatusOr<ManifestShard> ShardSet::FinishShard(uint32_t number) {
  Shard& shard = shards_[number];
  PENSTOCK_RETURN_IF_ERROR(shard.writer->Finish());
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, files_.Stat(shard.path));
  if (compression_ != Compression::kZlib) {
    PENSTOCK_RETURN_IF_ERROR(WriteIndex(number, info));
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
        results[i] = GuardMemory(
            NoMemory(shards_[i].path, "finish it"), [&]() -> Status {
              PENSTOCK_ASSIGN_OR_RETURN(summaries[i],
                                        FinishShard(static_cast<uint32_t>(i)));
              return OkStatus();
            });
      }));
  for (const Status& result : results) PENSTOCK_RETURN_IF_ERROR(result);
  PENSTOCK_RETURN_IF_ERROR(files_.SyncFolders());
  return summaries;
}

}  // namespace penstock
