// Files of which it is known how much was read of them, whatever reads them.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "tools/programs/spooled_input.h"

namespace penstock {

// Those of another file system, and streams by their own names.
//
// Threads: any number at a time.
class CountedFiles final : public FileSystem {
 public:
  using Streams = std::map<std::string, std::shared_ptr<const SpooledInput>>;

  // Both must outlive this and what it opens.
  CountedFiles(FileSystem& files, const Streams& streams)
      : files_(files), streams_(streams) {}

  // Bytes read of all files so far; what is read twice counts twice.
  uint64_t read_bytes() const {
    return read_bytes_.load(std::memory_order_relaxed);
  }

  StatusOr<std::unique_ptr<ReadableFile>> OpenForRead(
      const std::string& path) override;
  StatusOr<FileInfo> Stat(const std::string& path) override;

  StatusOr<std::unique_ptr<WritableFile>> OpenForWrite(
      const std::string& path) override {
    return files_.OpenForWrite(path);
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
  Status SyncFolder(const std::string& folder) override {
    return files_.SyncFolder(folder);
  }

 private:
  std::string PathOf(const std::string& path) const;

  FileSystem& files_;
  const Streams& streams_;
  std::atomic<uint64_t> read_bytes_ = 0;  // relaxed: orders nothing
};

}  // namespace penstock
