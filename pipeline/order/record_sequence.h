// All records of some files, one file after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/open.h"
#include "formats/records/record_reader.h"

namespace penstock {

// Record ids count the records in the order of the files. Damage that is
// skipped has none; the limit over all files is that of one pass.
//
// Threads: Next() and Rewind() from one; Locate() from any.
class RecordSequence {
 public:
  RecordSequence(FileSystem& files, std::vector<std::string> paths,
                 OpenOptions options);

  // Goes back to the first record.
  void Rewind();

  // The next record, which lives until the next call; nullopt after the last.
  StatusOr<std::optional<std::string_view>> Next();

  // "b.jsonl: record 17", for a record that was read.
  std::string Locate(uint64_t record_id) const;

 private:
  StatusOr<bool> NextBlock();

  FileSystem& files_;
  const std::vector<std::string> paths_;
  OpenOptions options_;                   // with the budget of this pass
  std::unique_ptr<RecordReader> reader_;  // of file next_file_ - 1
  size_t next_file_ = 0;
  RecordBlock block_;
  size_t used_ = 0;       // of block_
  uint64_t next_id_ = 0;  // of the next record

  mutable std::mutex mutex_;
  std::vector<uint64_t> first_;  // first record id of each file opened so far
};

}  // namespace penstock
