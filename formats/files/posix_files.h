// The FileSystem of POSIX, over a table of system calls.
//
// Interrupted and short calls are finished here; nothing above sees them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/posix_calls.h"
#include "formats/files/status_or.h"

namespace penstock {

// Only regular files can be read: a pipe or a device has no size and no place
// to read at, so it is kInvalidArgument.
//
// Threads: any number at a time.
class PosixFiles final : public FileSystem {
 public:
  // `calls` must outlive this and every file it opened.
  explicit PosixFiles(PosixCalls& calls) : calls_(calls) {}

  StatusOr<std::unique_ptr<ReadableFile>> OpenForRead(
      const std::string& path) override;
  StatusOr<std::unique_ptr<WritableFile>> OpenForWrite(
      const std::string& path) override;
  StatusOr<std::unique_ptr<WritableFile>> OpenForAppend(
      const std::string& path) override;
  StatusOr<std::unique_ptr<WritableFile>> OpenInPlace(
      const std::string& path) override;
  StatusOr<FileInfo> Stat(const std::string& path) override;
  StatusOr<std::vector<std::string>> List(const std::string& folder) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status RenameNew(const std::string& from, const std::string& to) override;
  Status RenameOver(const std::string& from, const std::string& to,
                    std::string_view expected) override;
  StatusOr<std::string> ReadLink(const std::string& path) override;
  Status Remove(const std::string& path) override;
  Status RemoveFolder(const std::string& folder) override;
  Status CreateFolders(const std::string& folder) override;
  Status SyncFolder(const std::string& folder) override;

 private:
  // -1 and errno as open(2), but never interrupted.
  int Open(const std::string& path, int flags);
  // Whether `fd` is still what the path names, and holds just `expected`.
  bool IsStill(int fd, const std::string& path, std::string_view expected);

  PosixCalls& calls_;
};

}  // namespace penstock
