// The records of all sources of a graph that are reached by number: of files,
// of columns in memory, and of several of these side by side.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "formats/index/record_files.h"
#include "formats/tokens/megatron_tokens.h"
#include "pipeline/graph/stages.h"
#include "pipeline/tables/column_table.h"

namespace penstock {

// Where the records of a source are, or of one side of a zip.
struct RecordSide {
  // Without either, records of indexed files.
  std::shared_ptr<const ColumnTable> columns;
  std::shared_ptr<const MegatronTokens> megatron;
  // Of columns the row, of tokens the sequence, of files the number among the
  // records of all files, of the first of them.
  uint64_t first = 0;

  bool in_files() const { return columns == nullptr && megatron == nullptr; }
};

// What token files have.
inline constexpr char kMegatronFeature[] = "tokens";

// A source, whose records follow those of the one before.
struct RecordSource {
  uint64_t records = 0;  // of each side
  std::vector<RecordSide> sides;
};

// Before the bytes of its sides a record of a zip has the size of each.
inline constexpr uint64_t kZipBytesOfSide = sizeof(uint64_t);
// Appends a record of a zip.
void JoinSides(std::span<const std::string_view> sides, std::string& out);

// The bytes of one side of a record that a zip of `sides` gave, as JoinSides()
// has them.
std::string_view SideOfRecord(std::string_view record, size_t side,
                              size_t sides);

// Threads: any number at a time.
class SourceRecords {
 public:
  // `files` are those of all sources of files, in order; null where there are
  // none. Only files: what RecordFiles does.
  SourceRecords(std::shared_ptr<const RecordFiles> files,
                std::vector<RecordSource> sources);

  std::span<const RecordSource> sources() const { return sources_; }
  uint64_t records() const { return first_.back(); }
  // Of records, without framing.
  uint64_t size_bytes() const { return size_bytes_; }
  uint64_t most_mapped_bytes() const {
    return files_ == nullptr ? 0 : files_->most_mapped_bytes();
  }
  // All records are columns.
  bool in_memory() const { return in_memory_; }
  // Null where there are no indexed files.
  const RecordFiles* files() const { return files_.get(); }

  // As those of RecordFiles. A record of columns has no bytes, but counts as
  // what its values take; of a zip, those of its sides are copied together.
  StatusOr<GatherBound> FindWithin(std::span<const uint64_t> ids,
                                   uint64_t limit_bytes,
                                   std::vector<FoundRecord>& found) const;
  Status GatherFound(std::span<const FoundRecord> found,
                     GatheredRecords& out) const;
  Status Gather(std::span<const uint64_t> ids, GatheredRecords& out) const;
  // As that of RecordFiles, where all records are of files.
  std::optional<uint64_t> TakeLong(uint64_t id, uint64_t most_bytes,
                                   std::span<const uint64_t> next,
                                   std::span<LongValue> values,
                                   ExampleRest& rest) const {
    if (!only_files_) return std::nullopt;
    return files_->TakeLong(id, most_bytes, next, values, rest);
  }
  bool HasLengths(const RecordFeature& feature) const;
  // Of all records, in order: spans of files, or of parts of them.
  StatusOr<std::vector<std::span<const uint32_t>>> Lengths(
      const RecordFeature& feature) const;
  // The same of one side of one source.
  bool HasLengthsOf(size_t source, size_t side, std::string_view name) const;
  StatusOr<std::vector<std::span<const uint32_t>>> LengthsOf(
      size_t source, size_t side, std::string_view name) const;
  // A record of a zip is in as many places.
  std::string Locate(uint64_t id) const;

 private:
  // Records of a side that lie in one file.
  struct FilePart {
    size_t file = 0;
    uint64_t begin = 0;
    uint64_t records = 0;
  };

  // Which source a record is of.
  size_t SourceOf(uint64_t id) const;
  std::vector<FilePart> FilesOf(const RecordSide& side, uint64_t records) const;
  std::string LocateSide(const RecordSide& side, uint64_t number) const;
  StatusOr<uint64_t> BytesOf(const RecordSide& side, uint64_t number,
                             uint64_t limit_bytes,
                             std::vector<FoundRecord>& found) const;

  const std::shared_ptr<const RecordFiles> files_;
  const std::vector<RecordSource> sources_;
  std::vector<uint64_t> first_ = {0};  // [sources + 1]
  bool only_files_ = true;             // whose records are all of one side
  bool in_memory_ = true;
  uint64_t size_bytes_ = 0;
};

}  // namespace penstock
