#include "formats/streams/plain_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

// Gives no hints: the kernel reads ahead of reads in sequence by itself, and
// hinting at what is cached already took a fifth of the time.
class PlainStream final : public ByteStream {
 public:
  PlainStream(std::unique_ptr<ReadableFile> file, uint64_t size_bytes)
      : file_(std::move(file)), size_bytes_(size_bytes) {}

  StatusOr<size_t> Read(std::span<char> out) override {
    PENSTOCK_RETURN_IF_ERROR(failed_);
    auto got = ReadSome(out);
    if (!got.ok()) failed_ = got.status();
    return got;
  }

  Status Skip(uint64_t size) override {
    PENSTOCK_RETURN_IF_ERROR(failed_);
    if (size > size_bytes_ - position_) return ByteStream::Skip(size);
    position_ += size;
    return OkStatus();
  }

  std::optional<uint64_t> size_bytes() const override { return size_bytes_; }
  const std::string& path() const override { return file_->path(); }

 private:
  StatusOr<size_t> ReadSome(std::span<char> out) {
    if (position_ == size_bytes_) {
      PENSTOCK_ASSIGN_OR_RETURN(const FileInfo now, file_->Stat());
      if (now.size_bytes != size_bytes_) return Changed(now.size_bytes);
      return size_t{0};
    }
    out = out.first(std::min<uint64_t>(out.size(), size_bytes_ - position_));
    PENSTOCK_ASSIGN_OR_RETURN(const size_t got, file_->ReadAt(position_, out));
    if (got < out.size()) return Changed(position_ + got);
    position_ += got;
    return got;
  }

  Status Changed(uint64_t size_now) const {
    return FailedPreconditionError(
        fmt::format("{}: file changed while reading (size {} -> {})", path(),
                    size_bytes_, size_now));
  }

  const std::unique_ptr<ReadableFile> file_;
  const uint64_t size_bytes_;
  uint64_t position_ = 0;
  Status failed_;
};

}  // namespace

StatusOr<std::unique_ptr<ByteStream>> OpenPlainStream(FileSystem& files,
                                                      const std::string& path) {
  PENSTOCK_ASSIGN_OR_RETURN(auto file, files.OpenForRead(path));
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, file->Stat());
  return std::make_unique<PlainStream>(std::move(file), info.size_bytes);
}

}  // namespace penstock
