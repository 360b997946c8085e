// A file system that holds a file or two in memory, for reading without a disk.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/file.h"

namespace penstock::testing {

class MemoryFile final : public ReadableFile {
 public:
  MemoryFile(std::string_view bytes, std::string path)
      : bytes_(bytes), path_(std::move(path)) {}

  absl::StatusOr<size_t> ReadAt(uint64_t offset,
                                std::span<char> out) const override {
    const std::string_view from =
        bytes_.substr(std::min<uint64_t>(offset, bytes_.size()), out.size());
    std::copy(from.begin(), from.end(), out.begin());
    return from.size();
  }
  absl::StatusOr<FileInfo> Stat() const override {
    return FileInfo{.size_bytes = bytes_.size()};
  }
  void WillRead(uint64_t offset, uint64_t size_bytes) const override {}
  const std::string& path() const override { return path_; }

 private:
  const std::string_view bytes_;
  const std::string path_;
};

// Every path is the one file, except for those with the ending of the second;
// nothing can be written.
class MemoryFiles final : public FileSystem {
 public:
  // `bytes` must outlive this and what it opened.
  explicit MemoryFiles(std::string_view bytes) : bytes_(bytes) {}
  MemoryFiles(std::string_view bytes, std::string ending,
              std::string_view second)
      : bytes_(bytes), ending_(std::move(ending)), second_(second) {}

  absl::StatusOr<std::unique_ptr<ReadableFile>> OpenForRead(
      const std::string& path) override {
    return std::make_unique<MemoryFile>(BytesOf(path), path);
  }
  absl::StatusOr<FileInfo> Stat(const std::string& path) override {
    return FileInfo{.size_bytes = BytesOf(path).size()};
  }
  absl::StatusOr<std::unique_ptr<WritableFile>> OpenForWrite(
      const std::string& path) override {
    return ReadOnly();
  }
  absl::StatusOr<std::vector<std::string>> List(
      const std::string& folder) override {
    return ReadOnly();
  }
  absl::Status Rename(const std::string& from, const std::string& to) override {
    return ReadOnly();
  }
  absl::Status Remove(const std::string& path) override { return ReadOnly(); }
  absl::Status CreateFolders(const std::string& folder) override {
    return ReadOnly();
  }
  absl::Status SyncFolder(const std::string& folder) override {
    return ReadOnly();
  }

 private:
  static absl::Status ReadOnly() {
    return absl::UnimplementedError("one file to read in memory");
  }

  std::string_view BytesOf(const std::string& path) const {
    return !ending_.empty() && path.ends_with(ending_) ? second_ : bytes_;
  }

  const std::string_view bytes_;
  const std::string ending_;
  const std::string_view second_;
};

}  // namespace penstock::testing
