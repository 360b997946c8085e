// A file system in memory that has the same bytes under each name, for tests
// that read thousands of damaged files.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/file.h"

namespace penstock::testing {

// Must outlive what it opens. Nothing can be written.
class OneFile final : public FileSystem {
 public:
  explicit OneFile(std::string bytes) : bytes_(std::move(bytes)) {}

  absl::StatusOr<std::unique_ptr<ReadableFile>> OpenForRead(
      const std::string& path) override {
    return std::make_unique<Open>(bytes_, path);
  }
  absl::StatusOr<FileInfo> Stat(const std::string&) override {
    return FileInfo{.size_bytes = bytes_.size()};
  }

  absl::StatusOr<std::unique_ptr<WritableFile>> OpenForWrite(
      const std::string&) override {
    return ReadOnly();
  }
  absl::StatusOr<std::vector<std::string>> List(const std::string&) override {
    return ReadOnly();
  }
  absl::Status Rename(const std::string&, const std::string&) override {
    return ReadOnly();
  }
  absl::Status Remove(const std::string&) override { return ReadOnly(); }
  absl::Status CreateFolders(const std::string&) override { return ReadOnly(); }
  absl::Status SyncFolder(const std::string&) override { return ReadOnly(); }

 private:
  class Open final : public ReadableFile {
   public:
    Open(const std::string& bytes, std::string path)
        : bytes_(bytes), path_(std::move(path)) {}

    absl::StatusOr<size_t> ReadAt(uint64_t offset,
                                  std::span<char> out) const override {
      if (offset >= bytes_.size()) return size_t{0};
      const size_t count = std::min(out.size(), bytes_.size() - offset);
      std::memcpy(out.data(), bytes_.data() + offset, count);
      return count;
    }
    absl::StatusOr<FileInfo> Stat() const override {
      return FileInfo{.size_bytes = bytes_.size()};
    }
    void WillRead(uint64_t, uint64_t) const override {}
    const std::string& path() const override { return path_; }

   private:
    const std::string& bytes_;
    const std::string path_;
  };

  static absl::Status ReadOnly() {
    return absl::UnimplementedError("this file system is only read");
  }

  const std::string bytes_;
};

}  // namespace penstock::testing
