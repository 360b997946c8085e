// What the indexes of shards are made from, kept in a file and not in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/function_ref.h"
#include "formats/files/status_or.h"

namespace penstock {

// The offset and the length of every record; record i lies in shard i mod
// shards. What fills the buffer goes into one file, which has no name any more
// once it is open, so that nothing is left of it whatever happens.
//
// Threads: one at a time while records are added, then any number.
// Memory:  buffer_bytes, but at least 768 bytes for each shard.
class IndexSpool {
 public:
  // `path` is where the file is made, if it ever has to be.
  IndexSpool(FileSystem& files, std::string path, uint32_t shards,
             uint64_t buffer_bytes = 8 << 20);

  // Of the next record.
  // Errors:  those of writing.
  Status Add(uint64_t offset, uint32_t length);

  uint64_t records_of(uint32_t shard) const;
  // Give what was added for records of the shard, in order.
  // Errors:  those of reading and of `take`.
  Status EachOffset(uint32_t shard,
                    FunctionRef<Status(std::span<const uint64_t>)> take) const;
  Status EachLength(uint32_t shard,
                    FunctionRef<Status(std::span<const uint32_t>)> take) const;

 private:
  Status Spill();
  template <typename T>
  Status Each(uint32_t shard, uint64_t begin, const std::vector<T>& held,
              FunctionRef<Status(std::span<const T>)> take) const;

  FileSystem& files_;
  const std::string path_;
  const uint64_t shards_;
  const uint64_t run_;  // records of a shard that lie together
  uint64_t records_ = 0;
  uint64_t blocks_ = 0;            // in the file, of run_ records of each shard
  std::vector<uint64_t> offsets_;  // not in the file yet: run_ of each shard
  std::vector<uint32_t> lengths_;
  std::unique_ptr<WritableFile> out_;
  std::unique_ptr<ReadableFile> in_;
};

}  // namespace penstock
