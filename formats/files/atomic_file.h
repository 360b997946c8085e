// A file that appears whole or not at all.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "formats/files/file.h"
#include "formats/files/status_or.h"

namespace penstock {

// Writes to a temporary name beside `path`; Commit() syncs it, renames it to
// `path` and syncs the folder. Destruction without Commit() removes it, so a
// crash or an error at any instant leaves the old file or the new one. A crash
// leaves the temporary file, too, whose name says whose it was (file_owner.h).
//
// A link is followed: what it leads to is replaced. A device, a pipe and a path
// such as /dev/stdout is written straight into, and keeps what it got.
//
// Threads: one at a time.
class AtomicFile {
 public:
  static StatusOr<std::unique_ptr<AtomicFile>> Create(FileSystem& files,
                                                      const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  Status Append(std::string_view bytes);
  Status Commit();

 private:
  AtomicFile(FileSystem& files, std::string path, std::string temporary_path);

  bool in_place() const { return temporary_path_.empty(); }

  FileSystem& files_;
  const std::string path_;
  const std::string temporary_path_;    // empty: written in place
  std::unique_ptr<WritableFile> file_;  // null after Commit()
  bool committed_ = false;
};

// One Create, Append and Commit.
Status WriteFileAtomically(FileSystem& files, const std::string& path,
                           std::string_view bytes);

}  // namespace penstock
