// The files inside an archive, one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "formats/archives/archive_handle.h"
#include "formats/archives/archive_options.h"
#include "formats/files/callback.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"

namespace penstock {

// One regular file.
struct ArchiveMember {
  std::string name;     // normal form, see member_name.h
  uint64_t number = 0;  // among all entries, folders included, from 0
  uint64_t size_bytes = 0;
};

// Threads: one at a time.
// Memory:  what libarchive needs for the format's directory, and 0.4 MiB.
class ArchiveMembers {
 public:
  // Errors:  those of FileSystem::OpenForRead; kInvalidArgument where the file
  //          is no such archive; those of CheckZipDirectory.
  static StatusOr<std::unique_ptr<ArchiveMembers>> Open(FileSystem& files,
                                                        const std::string& path,
                                                        ArchiveOptions options);

  // The next member; nullopt at the proven end: every byte of the file was
  // read and every checksum around the archive verified.
  // Errors:  kDataLoss, kInvalidArgument, kUnimplemented, kResourceExhausted;
  //          each names the file and a member or offset. Final.
  StatusOr<std::optional<ArchiveMember>> Next();

  // The content of the member given last, once per member: where it is held, or
  // else at the end of `spare`, which it was appended to.
  // Errors:  as above; what was appended is to be thrown away then. Final for
  //          this member alone where Next() still gives the one after it.
  StatusOr<std::string_view> Read(std::string& spare);

  // From here on Read() may give bytes without copying them. They live until
  // `let_go` is called, inside of Next() or Read(), once at most, or until this
  // is called again. Null holds nothing, as at the start.
  void Hold(Callback<void()> let_go);

  // "corpus.tar!dir/a.txt".
  std::string Locate(const ArchiveMember& member) const;
  const std::string& path() const { return path_; }

 private:
  ArchiveMembers(std::unique_ptr<ArchiveHandle> handle, ArchiveOptions options,
                 uint64_t file_bytes, std::optional<uint64_t> listed);

  StatusOr<std::optional<ArchiveMember>> NextRegular();
  Status Count(const ArchiveEntry& entry);
  Status CheckEnd();

  const std::string path_;
  const ArchiveOptions options_;
  const uint64_t file_bytes_;
  const std::optional<uint64_t> listed_;  // entries, as the directory says
  const std::unique_ptr<ArchiveHandle> handle_;
  const ArchiveEntry* entry_ = nullptr;  // the one asked for last
  uint64_t entries_ = 0;
  uint64_t unpacked_bytes_ = 0;  // of all entries, as declared
  bool ended_ = false;
  Status failed_;
};

}  // namespace penstock
