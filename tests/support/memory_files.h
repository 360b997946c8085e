// A file system that holds a file or two in memory, for reading without a disk.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"

namespace penstock::testing {

// `bytes`, `times` times behind each other.
class MemoryFile final : public ReadableFile {
 public:
  MemoryFile(std::string_view bytes, std::string path, uint64_t times = 1)
      : bytes_(bytes),
        size_bytes_(times * bytes.size()),
        path_(std::move(path)) {}

  StatusOr<size_t> ReadAt(uint64_t offset, std::span<char> out) const override {
    const size_t size = std::min<uint64_t>(
        out.size(), size_bytes_ - std::min(offset, size_bytes_));
    for (size_t filled = 0; filled < size;) {
      const std::string_view from =
          bytes_.substr((offset + filled) % bytes_.size(), size - filled);
      std::copy(from.begin(), from.end(), out.begin() + filled);
      filled += from.size();
    }
    return size;
  }
  StatusOr<FileInfo> Stat() const override {
    return FileInfo{.size_bytes = size_bytes_};
  }
  void WillRead(uint64_t offset, uint64_t size_bytes) const override {}
  const std::string& path() const override { return path_; }

 private:
  const std::string_view bytes_;
  const uint64_t size_bytes_;
  const std::string path_;
};

// Every path is the one file, except for those with the ending of the second;
// nothing can be written.
class MemoryFiles final : public FileSystem {
 public:
  // `bytes` must outlive this and what it opened.
  explicit MemoryFiles(std::string_view bytes, uint64_t times = 1)
      : bytes_(bytes), times_(times) {}
  MemoryFiles(std::string_view bytes, std::string ending,
              std::string_view second)
      : bytes_(bytes), ending_(std::move(ending)), second_(second) {}

  StatusOr<std::unique_ptr<ReadableFile>> OpenForRead(
      const std::string& path) override {
    return std::make_unique<MemoryFile>(BytesOf(path), path, times_);
  }
  StatusOr<FileInfo> Stat(const std::string& path) override {
    return FileInfo{.size_bytes = times_ * BytesOf(path).size()};
  }
  StatusOr<std::unique_ptr<WritableFile>> OpenForWrite(
      const std::string& path) override {
    return ReadOnly();
  }
  StatusOr<std::vector<std::string>> List(const std::string& folder) override {
    return ReadOnly();
  }
  Status Rename(const std::string& from, const std::string& to) override {
    return ReadOnly();
  }
  Status Remove(const std::string& path) override { return ReadOnly(); }
  Status CreateFolders(const std::string& folder) override {
    return ReadOnly();
  }
  Status SyncFolder(const std::string& folder) override { return ReadOnly(); }

 private:
  static Status ReadOnly() {
    return UnimplementedError("one file to read in memory");
  }

  std::string_view BytesOf(const std::string& path) const {
    return !ending_.empty() && path.ends_with(ending_) ? second_ : bytes_;
  }

  const std::string_view bytes_;
  const uint64_t times_ = 1;
  const std::string ending_;
  const std::string_view second_;
};

}  // namespace penstock::testing
