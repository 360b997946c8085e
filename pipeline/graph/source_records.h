// The records of all sources of a graph that are reached by number: of files,
// and of columns in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "formats/index/record_files.h"
#include "pipeline/graph/column_table.h"

namespace penstock {

// A source, whose records follow those of the one before.
struct RecordSource {
  uint64_t records = 0;
  std::shared_ptr<const ColumnTable> columns;  // null: of files
};

// Threads: any number at a time.
class SourceRecords {
 public:
  // `files` are those of all sources of files, in order; null where there are
  // none. Only files: what RecordFiles does.
  SourceRecords(std::shared_ptr<const RecordFiles> files,
                std::vector<RecordSource> sources);

  uint64_t records() const { return first_.back(); }
  // Of records, without framing.
  uint64_t size_bytes() const { return size_bytes_; }
  uint64_t most_mapped_bytes() const {
    return files_ == nullptr ? 0 : files_->most_mapped_bytes();
  }
  // Null where there are no files.
  const RecordFiles* files() const { return files_.get(); }

  // As RecordFiles has them. A record of columns has no bytes, but counts as
  // what its values take.
  StatusOr<GatherBound> CountWithin(std::span<const uint64_t> ids,
                                    uint64_t limit_bytes) const;
  Status Gather(std::span<const uint64_t> ids, GatheredRecords& out) const;
  bool HasLengths(std::string_view name) const;
  StatusOr<std::vector<std::span<const uint32_t>>> Lengths(
      std::string_view name) const;
  std::string Locate(uint64_t id) const;

 private:
  // Which source a record is of.
  size_t SourceOf(uint64_t id) const;
  // The number among those of all files of a record of a source of files.
  uint64_t InFiles(size_t source, uint64_t id) const {
    return id - first_[source] + first_in_files_[source];
  }

  const std::shared_ptr<const RecordFiles> files_;
  const std::vector<RecordSource> sources_;
  std::vector<uint64_t> first_ = {0};     // [sources + 1]
  std::vector<uint64_t> first_in_files_;  // [sources]
  bool only_files_ = true;
  uint64_t size_bytes_ = 0;
};

}  // namespace penstock
