#include "tools/programs/counted_files.h"

#include <utility>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

class CountedFile final : public ReadableFile {
 public:
  CountedFile(std::unique_ptr<ReadableFile> file, std::string path,
              std::atomic<uint64_t>& read_bytes)
      : file_(std::move(file)),
        path_(std::move(path)),
        read_bytes_(read_bytes) {}

  StatusOr<size_t> ReadAt(uint64_t offset, std::span<char> out) const override {
    PENSTOCK_ASSIGN_OR_RETURN(const size_t got, file_->ReadAt(offset, out));
    read_bytes_.fetch_add(got, std::memory_order_relaxed);
    return got;
  }
  StatusOr<FileInfo> Stat() const override { return file_->Stat(); }
  size_t ReadCached(uint64_t offset, std::span<char> out) const override {
    return file_->ReadCached(offset, out);
  }
  std::unique_ptr<FileBytes> Map(uint64_t offset,
                                 uint64_t size_bytes) const override {
    return file_->Map(offset, size_bytes);
  }
  void WillRead(uint64_t offset, uint64_t size_bytes) const override {
    file_->WillRead(offset, size_bytes);
  }
  const std::string& path() const override { return path_; }

 private:
  const std::unique_ptr<ReadableFile> file_;
  const std::string path_;
  std::atomic<uint64_t>& read_bytes_;
};

}  // namespace

std::string CountedFiles::PathOf(const std::string& path) const {
  const auto at = streams_.find(path);
  return at == streams_.end() ? path : at->second->path();
}

StatusOr<std::unique_ptr<ReadableFile>> CountedFiles::OpenForRead(
    const std::string& path) {
  PENSTOCK_ASSIGN_OR_RETURN(auto file, under().OpenForRead(PathOf(path)));
  return std::make_unique<CountedFile>(std::move(file), path, read_bytes_);
}

StatusOr<FileInfo> CountedFiles::Stat(const std::string& path) {
  return under().Stat(PathOf(path));
}

}  // namespace penstock
