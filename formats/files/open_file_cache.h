// Handles of many files, of which only some are open at once.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"

namespace penstock {

// How many files one user may keep open, so that others of the process find
// descriptors, too: what it may have open but for 512, or a quarter of it.
size_t OpenFileBudget();

// Datasets have thousands of files and processes often may open only 1024; the
// handle that was opened first makes room. A handle in use stays open until its
// user lets go. All caches of the process together keep as many as the largest,
// and one each.
//
// Threads: any number at a time.
class OpenFileCache {
 public:
  OpenFileCache(FileSystem& files, size_t most_open)
      : files_(files), most_open_(most_open) {}
  ~OpenFileCache();

  // Adds a file, which must be as `expected` whenever it is opened. To be
  // called before any Get().
  void Add(std::string path, FileInfo expected);

  // Errors:  those of OpenForRead; kFailedPrecondition where the file is not as
  //          expected.
  StatusOr<std::shared_ptr<const ReadableFile>> Get(size_t file);

  // OK where the file still is as expected.
  Status CheckUnchanged(size_t file);

 private:
  struct Slot {
    std::string path;
    FileInfo expected;
    std::shared_ptr<const ReadableFile> open;  // null while closed
  };

  StatusOr<std::shared_ptr<const ReadableFile>> Open(const Slot& slot);
  void CloseDownTo(size_t count);  // needs mutex_

  FileSystem& files_;
  const size_t most_open_;
  std::mutex mutex_;
  std::vector<Slot> slots_;    // `open` is guarded by mutex_
  std::deque<size_t> opened_;  // guarded by mutex_; oldest first
};

}  // namespace penstock
