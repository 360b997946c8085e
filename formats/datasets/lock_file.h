// A file whose presence says that somebody writes what it stands beside.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "formats/files/callback.h"
#include "formats/files/file.h"
#include "formats/files/file_owner.h"
#include "formats/files/status_or.h"

namespace penstock {

struct LockOptions {
  // What is guarded, for messages: "the dataset books-train".
  std::string what;
  // How long another's lock is waited for; 0 refuses at once.
  std::chrono::milliseconds wait = std::chrono::milliseconds(0);
  // Told when the lock of a dead process was taken over.
  Callback<void(std::string_view)> on_notice = nullptr;
};

// Holds the lock until it is destroyed. The file tells host, process and time;
// it is made by a hard link, which on NFS, too, only one can make. A lock whose
// process is known to be dead is taken over. One of another host or container
// never is, as nobody here can tell whether that still runs: it is an error
// that says what to do.
//
// Threads: one at a time; two locks of one process exclude each other.
class LockFile {
 public:
  // Errors:  kUnavailable where another holds it; kFailedPrecondition where
  //          another host does, or where the file is no lock; each names the
  //          file, who holds it since when, and what to do.
  static StatusOr<std::unique_ptr<LockFile>> Acquire(FileSystem& files,
                                                     const std::string& path,
                                                     LockOptions options);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  // kFailedPrecondition where somebody has removed the file by hand: another
  // may write by now. To be asked before what cannot be undone.
  Status CheckHeld() const;

 private:
  LockFile(FileSystem& files, std::string path, std::string text)
      : files_(files), path_(std::move(path)), text_(std::move(text)) {}

  FileSystem& files_;
  const std::string path_;
  const std::string text_;  // what the file holds as long as it is ours
};

}  // namespace penstock
