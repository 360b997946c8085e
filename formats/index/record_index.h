// Where each record of one TFRecord file is: the sidecar beside the file.
// docs/formats/record_index.md has the layout.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"

namespace penstock {

class RecordIndexPages;

// A named length of every record, for example how many tokens it holds.
struct LengthColumn {
  std::string name;
  std::vector<uint32_t> lengths;
};

struct RecordPlace {
  uint64_t offset = 0;      // of the record's header
  uint64_t size_bytes = 0;  // without the 16 of its framing
};

// Where a member of a gzip file begins (see gzip_member.h).
struct GzipMemberPlace {
  uint64_t offset = 0;         // in the file
  uint64_t framed_offset = 0;  // in what the file holds
  uint64_t first_record = 0;
};

// The member that a record lies in.
struct GzipMemberRange {
  GzipMemberPlace begin;
  GzipMemberPlace end;  // the beginning of the next one
};

// Where the records of one TFRecord file are, and their lengths. Immutable.
// Memory: made from vectors, 8 bytes a record and 4 for each length column;
// loaded, 4 bytes for each 64 KiB of the sidecar, which is mapped.
//
// Threads: any number at a time.
class RecordIndex {
 public:
  // Takes what a writer knows: the offsets of the record headers, and what the
  // file is at that moment.
  RecordIndex(std::vector<uint64_t> offsets, std::vector<LengthColumn> columns,
              FileInfo file);
  // Of a gzip file. The last of `members` is where one more would begin.
  RecordIndex(std::vector<GzipMemberPlace> members,
              std::vector<LengthColumn> columns, FileInfo file);
  RecordIndex(RecordIndex&& other) noexcept;
  RecordIndex& operator=(RecordIndex&& other) noexcept;
  ~RecordIndex();

  // Loads the sidecar of `path` and checks it against the file. Reads its
  // header and directory; the rest is verified when it is looked at.
  // Errors:  kNotFound without a sidecar (says how to make one); kDataLoss for
  //          a damaged one; kFailedPrecondition where the file is another than
  //          the sidecar was made for; kUnimplemented for a sidecar of another
  //          version.
  static StatusOr<RecordIndex> Load(FileSystem& files, const std::string& path);

  // Writes the sidecar of `path`, atomically, and removes one of the old name.
  // Errors:  kInvalidArgument where a column has another number of lengths than
  //          there are records, a name is empty, too long or there twice, or
  //          the places are not those of such a file; kFailedPrecondition
  //          where the file has changed.
  Status Save(FileSystem& files, const std::string& path) const;

  uint64_t records() const { return records_; }
  // What the records take with their framing, uncompressed.
  uint64_t framed_bytes() const { return framed_bytes_; }
  // Whether records are reached through gzip members.
  bool in_gzip_members() const { return !members_.empty(); }

  // Where record `i` is, which must be there; not in gzip members.
  // Errors:  kDataLoss, kFailedPrecondition: of a loaded sidecar, as in Load().
  StatusOr<RecordPlace> Find(uint64_t i) const;
  // Brings what Find() will look at into the processor's cache.
  void Prefetch(uint64_t i) const {
    if (!offsets_.empty()) __builtin_prefetch(offsets_.data() + i);
  }
  // The member that holds record `i`; in gzip members only.
  StatusOr<GzipMemberRange> FindMember(uint64_t i) const;

  // What the file was when the index was made, or loaded.
  const FileInfo& file() const { return file_; }
  // That file's SampleFile(); 0 of an index that was made and not loaded.
  uint32_t file_sample() const { return file_sample_; }

  const std::vector<std::string>& column_names() const { return names_; }
  bool HasColumn(std::string_view name) const;
  // The lengths of all records by that name, all verified.
  // Errors:  kNotFound without such a column; as for Find().
  StatusOr<std::span<const uint32_t>> Lengths(std::string_view name) const;

  // Verifies every page, where a loaded one is else verified when it is first
  // looked at. Errors:  as Find().
  Status VerifyAll() const;

  // The same places with other columns.
  StatusOr<RecordIndex> WithColumns(std::vector<LengthColumn> columns) const;

 private:
  RecordIndex();
  Status Verify(const void* begin, const void* end) const;
  Status Damaged(std::string_view why) const;

  uint64_t records_ = 0;
  uint64_t framed_bytes_ = 0;
  FileInfo file_;
  uint32_t file_sample_ = 0;
  std::vector<std::string> names_;

  // One more than records or members; one of the two is empty. They and the
  // lengths are views of pages_, or of the vectors below.
  std::span<const uint64_t> offsets_;
  std::span<const GzipMemberPlace> members_;
  std::vector<std::span<const uint32_t>> lengths_;

  std::unique_ptr<const RecordIndexPages> pages_;  // null where made
  std::vector<uint64_t> made_offsets_;
  std::vector<GzipMemberPlace> made_members_;
  std::vector<LengthColumn> made_columns_;
};

// "d/a.tfrecord" -> "d/.a.tfrecord.index": hidden, so that no pattern for
// shards takes it for one.
std::string IndexPath(const std::string& path);
// "d/a.tfrecord.index", the name it had before: read where there is no other,
// and removed when the index is written.
std::string OldIndexPath(const std::string& path);
// The one of both that is there; nothing where none is.
// Errors:  those of FileSystem::Stat() but kNotFound.
StatusOr<std::optional<std::string>> FindIndex(FileSystem& files,
                                               const std::string& path);

// Removes the one of the old name. A file of that name that is no index is
// somebody else's and stays.
Status RemoveOldIndex(FileSystem& files, const std::string& path);

}  // namespace penstock
