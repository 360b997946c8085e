// Access to files: what every reader and writer stands on.
//
// Implementations of FileSystem form a star around this header; today there is
// one, POSIX, which itself stands on formats/files/posix_calls.h so that faults
// can be put under it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"

namespace penstock {

struct FileInfo {
  uint64_t size_bytes = 0;
  int64_t mtime_ns = 0;  // since the Unix epoch
  bool is_folder = false;
  bool is_stream = false;  // a pipe or device: without a size, read once
  // Two names with the same of both are one file; 0 where nothing is known.
  uint64_t device = 0;
  uint64_t inode = 0;
};

// Every page size of a system divides it.
inline constexpr uint64_t kMapStepBytes = 64 << 10;

// The bytes of a file at an address, as long as this lives.
//
// Threads: any number at a time.
class FileBytes {
 public:
  virtual ~FileBytes() = default;

  virtual std::string_view bytes() const = 0;
  // False for good once the file was found cut off: what is gone reads as zero
  // then. To be asked after reading and before believing. A file rewritten in
  // place does not show here.
  virtual bool intact() const = 0;
};

// A file open for reading at any place.
//
// Threads: any number at a time.
class ReadableFile {
 public:
  virtual ~ReadableFile() = default;

  // Fills `out` from `offset`; returns how much was filled. Less than
  // out.size() only where the file ends.
  // Errors:  kDataLoss or kUnavailable where the device fails; never an end.
  virtual StatusOr<size_t> ReadAt(uint64_t offset,
                                  std::span<char> out) const = 0;
  virtual StatusOr<FileInfo> Stat() const = 0;

  // Fills the front of `out` from `offset` with what is in memory already, and
  // returns how much that is. Never waits for a device; may always do nothing.
  virtual size_t ReadCached(uint64_t /*offset*/,
                            std::span<char> /*out*/) const {
    return 0;
  }

  // `size_bytes` from `offset`, a multiple of kMapStepBytes, at an address;
  // null where the file cannot be mapped. Costs no memory but the system's own,
  // and may outlive this.
  virtual std::unique_ptr<FileBytes> Map(uint64_t /*offset*/,
                                         uint64_t /*size_bytes*/) const {
    return nullptr;
  }

  // Says that [offset, offset + size_bytes) will be read soon. May do nothing.
  virtual void WillRead(uint64_t offset, uint64_t size_bytes) const = 0;

  virtual const std::string& path() const = 0;
};

// A file open for writing at its end. Destruction without Close() leaves
// what was written so far.
//
// Threads: one at a time.
class WritableFile {
 public:
  virtual ~WritableFile() = default;

  // Errors:  kResourceExhausted where space, quota or a size limit ends.
  virtual Status Append(std::string_view bytes) = 0;
  virtual Status Sync() = 0;
  virtual Status Close() = 0;

  virtual const std::string& path() const = 0;
};

// Threads: any number at a time.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // Errors:  kNotFound, kPermissionDenied, kInvalidArgument for a folder.
  virtual StatusOr<std::unique_ptr<ReadableFile>> OpenForRead(
      const std::string& path) = 0;
  // Creates the file, or empties it where it exists.
  virtual StatusOr<std::unique_ptr<WritableFile>> OpenForWrite(
      const std::string& path) = 0;
  // Opens a device or pipe that is there, to write into it as it is. A path of
  // an open descriptor, such as /dev/stdout, is that descriptor.
  virtual StatusOr<std::unique_ptr<WritableFile>> OpenInPlace(
      const std::string& path);

  // Opens a file that is there, to write behind what it has.
  virtual StatusOr<std::unique_ptr<WritableFile>> OpenForAppend(
      const std::string& path);

  virtual StatusOr<FileInfo> Stat(const std::string& path) = 0;
  // Names (not paths) in `folder`, sorted bytewise, without "." and "..".
  virtual StatusOr<std::vector<std::string>> List(
      const std::string& folder) = 0;

  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  // Rename() where there is no `to`, else kAlreadyExists: of many that try at
  // once, on any hosts, one wins. `from` may stay as a second name of the file.
  virtual Status RenameNew(const std::string& from, const std::string& to);
  // Rename() where `to` holds `expected`, else kFailedPrecondition: of many
  // that try at once on one host, one wins.
  virtual Status RenameOver(const std::string& from, const std::string& to,
                            std::string_view expected);
  // Where the link `path` leads, as it says itself.
  // Errors:  kInvalidArgument for what is no link.
  virtual StatusOr<std::string> ReadLink(const std::string& path);
  virtual Status Remove(const std::string& path) = 0;
  virtual Status RemoveFolder(const std::string& folder);  // an empty one
  // Makes the folder and its parents; OK where it exists.
  virtual Status CreateFolders(const std::string& folder) = 0;
  // Makes renames and removals in `folder` last.
  virtual Status SyncFolder(const std::string& folder) = 0;
};

// The local file system. Never destroyed.
FileSystem& LocalFiles();

// Whole small files at once: text forms, vocabularies, states.
// Errors:  kResourceExhausted above `limit_bytes`.
StatusOr<std::string> ReadWholeFile(FileSystem& files, const std::string& path,
                                    uint64_t limit_bytes = 1ull << 30);

}  // namespace penstock
