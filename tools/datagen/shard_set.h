// The TFRecord shards of one dataset, written side by side.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/datasets/manifest.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/records/record_chain.h"
#include "formats/records/record_reader.h"
#include "formats/tfrecord/tfrecord_writer.h"
#include "pipeline/tasks/task_queue.h"
#include "tools/datagen/index_spool.h"
#include "tools/datagen/many_files.h"

namespace penstock {

// Destruction without Finish() leaves no shard.
//
// Threads: one at a time.
// Memory:  of the writers, and of IndexSpool.
class ShardSet {
 public:
  // Of many shards only some are open at a time (OpenFileBudget()).
  // `base` is the path without "-00000-of-00008"; `length_name` names the one
  // length column of the indexes.
  static StatusOr<std::unique_ptr<ShardSet>> Create(
      FileSystem& files, std::string base, uint32_t shards,
      const TfRecordWriteOptions& options, std::string length_name);

  // Puts the record into the next shard, round and round.
  Status Append(std::string_view record, uint32_t length);

  // Finishes every shard and, unless it is zlib, writes its index: as many side
  // by side as `tasks` has threads, as each waits for the disk twice. Not from
  // a task.
  StatusOr<std::vector<ManifestShard>> Finish(TaskQueue& tasks);

  uint64_t records() const { return records_; }

 private:
  struct Shard {
    std::string path;
    std::unique_ptr<TfRecordWriter> writer;
    RecordChain chain;
  };

  ShardSet(FileSystem& files, const std::string& base, uint32_t shards,
           std::string length_name, Compression compression);

  StatusOr<ManifestShard> FinishShard(uint32_t number);
  Status WriteIndex(uint32_t number, const FileInfo& info);

  ManyFiles files_;
  const std::string length_name_;
  const Compression compression_;
  std::vector<Shard> shards_;
  IndexSpool index_;
  uint64_t records_ = 0;
};

}  // namespace penstock
