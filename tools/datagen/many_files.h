// A file system under many files that are written side by side.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/forwarding_files.h"
#include "formats/files/status_or.h"

namespace penstock {

// Does what the one under it does, but for two things. Of the files open for
// writing only some keep a descriptor: the one that was opened first makes room
// and is opened again when more is written. And folders are synced when all is
// done, once, instead of after each file.
//
// A file that was closed in between is synced as it is then: what the system
// could not write meanwhile, Linux tells to whoever syncs it next.
//
// Threads: any number at a time; one file by one.
class ManyFiles final : public ForwardingFiles {
 public:
  // `files` must outlive this, and this every file it opened.
  ManyFiles(FileSystem& files, size_t most_open)
      : ForwardingFiles(files), most_open_(most_open) {}

  // Syncs the folders that were to be synced.
  Status SyncFolders();

  StatusOr<std::unique_ptr<WritableFile>> OpenForWrite(
      const std::string& path) override;
  StatusOr<std::unique_ptr<WritableFile>> OpenForAppend(
      const std::string& path) override;
  Status SyncFolder(const std::string& folder) override;

 private:
  class File;

  void Opened(File& file);
  void Closed(File& file);
  // Closes the file that was opened first and is not at work.
  void MakeRoom();

  const size_t most_open_;
  std::mutex mutex_;
  std::list<File*> open_;          // guarded by mutex_; oldest first
  std::set<std::string> folders_;  // guarded by mutex_; to be synced
};

}  // namespace penstock
