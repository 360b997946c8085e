#include "formats/plain_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/status.h"

namespace penstock {
namespace {

// How far ahead of the reader the device is asked to work.
constexpr uint64_t kReadAheadBytes = 8 << 20;

class PlainStream final : public ByteStream {
 public:
  PlainStream(std::unique_ptr<ReadableFile> file, uint64_t size_bytes)
      : file_(std::move(file)), size_bytes_(size_bytes) {}

  absl::StatusOr<size_t> Read(std::span<char> out) override {
    PENSTOCK_RETURN_IF_ERROR(failed_);
    auto got = ReadSome(out);
    if (!got.ok()) failed_ = got.status();
    return got;
  }

  std::optional<uint64_t> size_bytes() const override { return size_bytes_; }
  const std::string& path() const override { return file_->path(); }

 private:
  absl::StatusOr<size_t> ReadSome(std::span<char> out) {
    if (position_ == size_bytes_) {
      PENSTOCK_ASSIGN_OR_RETURN(const FileInfo now, file_->Stat());
      if (now.size_bytes != size_bytes_) return Changed(now.size_bytes);
      return size_t{0};
    }
    out = out.first(std::min<uint64_t>(out.size(), size_bytes_ - position_));
    ReadAhead(position_ + out.size());
    PENSTOCK_ASSIGN_OR_RETURN(const size_t got, file_->ReadAt(position_, out));
    if (got < out.size()) return Changed(position_ + got);
    position_ += got;
    return got;
  }

  void ReadAhead(uint64_t end) {
    if (end + kReadAheadBytes / 2 < ahead_ || ahead_ >= size_bytes_) return;
    const uint64_t begin = std::max(ahead_, end);
    ahead_ = end + kReadAheadBytes;
    file_->WillRead(begin, ahead_ - begin);
  }

  absl::Status Changed(uint64_t size_now) const {
    return absl::FailedPreconditionError(
        fmt::format("{}: file changed while reading (size {} -> {})", path(),
                    size_bytes_, size_now));
  }

  const std::unique_ptr<ReadableFile> file_;
  const uint64_t size_bytes_;
  uint64_t position_ = 0;
  uint64_t ahead_ = 0;  // what was asked for ends here
  absl::Status failed_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ByteStream>> OpenPlainStream(
    FileSystem& files, const std::string& path) {
  PENSTOCK_ASSIGN_OR_RETURN(auto file, files.OpenForRead(path));
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, file->Stat());
  return std::make_unique<PlainStream>(std::move(file), info.size_bytes);
}

}  // namespace penstock
