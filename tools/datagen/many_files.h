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
class ManyFiles final : public FileSystem {
 public:
  // `files` must outlive this, and this every file it opened.
  ManyFiles(FileSystem& files, size_t most_open)
      : files_(files), most_open_(most_open) {}

  // Syncs the folders that were to be synced.
  Status SyncFolders();

  StatusOr<std::unique_ptr<WritableFile>> OpenForWrite(
      const std::string& path) override;
  StatusOr<std::unique_ptr<WritableFile>> OpenForAppend(
      const std::string& path) override;
  Status SyncFolder(const std::string& folder) override;

  StatusOr<std::unique_ptr<ReadableFile>> OpenForRead(
      const std::string& path) override {
    return files_.OpenForRead(path);
  }
  StatusOr<FileInfo> Stat(const std::string& path) override {
    return files_.Stat(path);
  }
  StatusOr<std::vector<std::string>> List(const std::string& folder) override {
    return files_.List(folder);
  }
  Status Rename(const std::string& from, const std::string& to) override {
    return files_.Rename(from, to);
  }
  Status Remove(const std::string& path) override {
    return files_.Remove(path);
  }
  Status CreateFolders(const std::string& folder) override {
    return files_.CreateFolders(folder);
  }

 private:
  class File;

  void Opened(File& file);
  void Closed(File& file);
  // Closes the file that was opened first and is not at work.
  void MakeRoom();

  FileSystem& files_;
  const size_t most_open_;
  std::mutex mutex_;
  std::list<File*> open_;          // guarded by mutex_; oldest first
  std::set<std::string> folders_;  // guarded by mutex_; to be synced
};

}  // namespace penstock
