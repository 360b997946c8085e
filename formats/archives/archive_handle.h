// libarchive, asked for one format and believed only where it can be.
// docs/formats/archives.md lists what it says of damaged archives.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "formats/archives/archive_options.h"
#include "formats/archives/archive_source.h"
#include "formats/files/status_or.h"

struct archive;
struct archive_entry;

namespace penstock {

// One entry, as the archive has it.
struct ArchiveEntry {
  std::string name;
  // "folder", "symbolic link", "sparse file" ...; empty for a regular file.
  std::string_view special;
  uint64_t size_bytes = 0;
};

// Nothing is sniffed, no filter is used, nothing is written to disk, and the
// process's locale is left alone.
//
// Threads: one at a time.
class ArchiveHandle {
 public:
  static StatusOr<std::unique_ptr<ArchiveHandle>> Open(
      ArchiveFormat format, std::unique_ptr<ArchiveSource> source);
  ~ArchiveHandle();
  ArchiveHandle(const ArchiveHandle&) = delete;
  ArchiveHandle& operator=(const ArchiveHandle&) = delete;

  // The next entry, alive until the next call; null where the format says that
  // it ends.
  // Errors:  those of the source; kInvalidArgument for another kind of file;
  //          kUnimplemented for encryption and unknown codecs; kDataLoss for
  //          whatever else libarchive is not content with. Final.
  StatusOr<const ArchiveEntry*> NextEntry();

  // The whole content of the entry given last. Its checksum, where the format
  // has one, was verified. It lies where the source holds it, or else at the
  // end of `spare`, which it was appended to. Errors:  as above; kDataLoss for
  // any other number of bytes than declared.
  //          What was appended is to be thrown away then.
  StatusOr<std::string_view> Read(std::string& spare);

  // Whether an error was of more than one entry's content.
  bool broken() const { return broken_; }

  // Where the entry asked for last begins, or would.
  uint64_t header_offset() const;
  ArchiveSource& source() { return *source_; }

 private:
  ArchiveHandle(ArchiveFormat format, std::unique_ptr<ArchiveSource> source);
  Status Start();
  // Puts it into entry_.
  Status Describe(archive_entry& entry);
  // What libarchive, or the source under it, has to say.
  Status Failure(int code);
  Status NotThisFormat() const;
  // The error that `what` is the matter with the place where we are.
  Status Damaged(std::string_view what) const;

  struct Callbacks;

  const ArchiveFormat format_;
  const std::unique_ptr<ArchiveSource> source_;
  archive* const archive_;
  Status source_failed_;
  ArchiveEntry entry_;     // the one given last
  bool in_entry_ = false;  // reading its content
  bool broken_ = false;
};

}  // namespace penstock
