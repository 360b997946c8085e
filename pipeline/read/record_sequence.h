// All records of some files, one file after the other.
#pragma once

#include <atomic>
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
#include "pipeline/state.h"

namespace penstock {

// Record ids count the records in the order of the files. Damage that is
// skipped has none; the limit over all files is that of one pass.
//
// Threads: StartAt() and Next() from one; the others from any.
class RecordSequence {
 public:
  RecordSequence(FileSystem& files, std::vector<std::string> paths,
                 OpenOptions options);

  // Goes to the first record of a file.
  // Errors:  kFailedPrecondition for one that is not there.
  Status StartAt(UnitPlace place);

  // The next record, which lives until the next call; nullopt after the last.
  // Errors:  those of OpenRecords and RecordReader.
  StatusOr<std::optional<std::string_view>> Next();

  // In all passes so far.
  uint64_t records_read() const { return records_read_; }

  // The id of the next record.
  uint64_t next_id() const { return next_id_; }

  // "b.jsonl: record 17", for a record that was read.
  std::string Locate(uint64_t record_id) const;
  // The file that a record, which was read or comes next, lies in.
  UnitPlace PlaceOf(uint64_t record_id) const;

 private:
  void BeginPass();
  StatusOr<bool> NextBlock();
  void Remember(UnitPlace place);

  FileSystem& files_;
  const std::vector<std::string> paths_;
  OpenOptions options_;                   // with the budget of this pass
  std::unique_ptr<RecordReader> reader_;  // of file next_file_ - 1
  size_t next_file_ = 0;
  RecordBlock block_;
  size_t used_ = 0;       // of block_
  uint64_t next_id_ = 0;  // of the next record
  std::atomic<uint64_t> records_read_ = 0;

  mutable std::mutex mutex_;
  // Of the files opened so far, rising; the same in every pass.
  std::vector<UnitPlace> places_;
};

}  // namespace penstock
