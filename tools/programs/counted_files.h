// Files of which it is known how much was read of them, whatever reads them.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "formats/files/file.h"
#include "formats/files/forwarding_files.h"
#include "formats/files/status_or.h"
#include "tools/programs/spooled_input.h"

namespace penstock {

// Those of another file system, and streams by their own names.
//
// Threads: any number at a time.
class CountedFiles final : public ForwardingFiles {
 public:
  using Streams = std::map<std::string, std::shared_ptr<const SpooledInput>>;

  // Both must outlive this and what it opens.
  CountedFiles(FileSystem& files, const Streams& streams)
      : ForwardingFiles(files), streams_(streams) {}

  // Bytes read of all files so far; what is read twice counts twice.
  uint64_t read_bytes() const {
    return read_bytes_.load(std::memory_order_relaxed);
  }

  StatusOr<std::unique_ptr<ReadableFile>> OpenForRead(
      const std::string& path) override;
  StatusOr<FileInfo> Stat(const std::string& path) override;

 private:
  std::string PathOf(const std::string& path) const;

  const Streams& streams_;
  std::atomic<uint64_t> read_bytes_ = 0;  // relaxed: orders nothing
};

}  // namespace penstock
