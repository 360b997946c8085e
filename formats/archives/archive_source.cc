#include "formats/archives/archive_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

constexpr size_t kBufferBytes = 128 << 10;
constexpr size_t kMostHeldBuffers = 4;
constexpr size_t kFirstBytes = 512;
constexpr uint64_t kTarEndBytes = 1024;

// libarchive stops at the end mark of a tar. What follows must be read too: the
// checksum of a compressed file stands at its very end, and a second archive
// may be hidden there.
class StreamSource final : public ArchiveSource {
 public:
  explicit StreamSource(std::unique_ptr<ByteStream> stream)
      : stream_(std::move(stream)) {
    buffers_.push_back(NewBuffer());
  }

  StatusOr<std::string_view> Next() override {
    if (let_go_) NextBuffer();
    char* const buffer = buffers_[current_].get();
    PENSTOCK_ASSIGN_OR_RETURN(const size_t size,
                              stream_->Read({buffer, kBufferBytes}));
    const std::string_view bytes(buffer, size);
    if (first_.size() < kFirstBytes) {
      first_ += bytes.substr(0, kFirstBytes - first_.size());
    }
    const size_t last = bytes.find_last_not_of('\0');
    if (last != std::string_view::npos) content_end_ = position_ + last + 1;
    position_ += size;
    return bytes;
  }

  void Hold(Callback<void()> let_go) override {
    let_go_ = std::move(let_go);
    std::swap(buffers_[0], buffers_[std::exchange(current_, 0)]);
  }

  bool Holds(const char* bytes) const override {
    const char* const buffer = buffers_[current_].get();
    const std::less_equal<const char*> le;
    return let_go_ && le(buffer, bytes) && !le(buffer + kBufferBytes, bytes);
  }

  uint64_t position() const override { return position_; }
  uint64_t size_bytes() const override {
    return stream_->size_bytes().value_or(0);
  }

  Status CheckEnd(uint64_t end, bool tar_end_required) override {
    while (true) {
      PENSTOCK_ASSIGN_OR_RETURN(const std::string_view bytes, Next());
      if (bytes.empty()) break;
    }
    if (content_end_ > end) {
      return DataLossError(fmt::format(
          "{}: bytes that are not zero follow the end of the tar, which is at "
          "offset {}; if archives were joined, split them",
          path(), end));
    }
    if (tar_end_required && position_ - end < kTarEndBytes) {
      return DataLossError(fmt::format(
          "{}: tar without the 1024 zero bytes that end it at offset {}: it "
          "may be cut off between two members (TarEnd::kMayBeMissing takes it)",
          path(), end));
    }
    return OkStatus();
  }

  std::string_view first_bytes() const override { return first_; }
  const std::string& path() const override { return stream_->path(); }

 private:
  using Buffer = std::unique_ptr<char[]>;

  static Buffer NewBuffer() {
    return std::make_unique_for_overwrite<char[]>(kBufferBytes);
  }

  // Moves on to a buffer that holds nothing, by letting go where too many do.
  // Then the first is used again: bytes given just before lie in the last.
  void NextBuffer() {
    if (++current_ < buffers_.size()) return;
    if (current_ < kMostHeldBuffers) return buffers_.push_back(NewBuffer());
    std::exchange(let_go_, nullptr)();
    current_ = 0;
  }

  const std::unique_ptr<ByteStream> stream_;
  std::vector<Buffer> buffers_;
  size_t current_ = 0;  // those before it are held too
  Callback<void()> let_go_;
  std::string first_;
  uint64_t position_ = 0;
  uint64_t content_end_ = 0;  // behind the last byte that is not zero
};

class FileSource final : public ArchiveSource {
 public:
  FileSource(std::unique_ptr<ReadableFile> file, const FileInfo& info)
      : file_(std::move(file)),
        info_(info),
        buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)) {}

  StatusOr<std::string_view> Next() override {
    if (position_ >= info_.size_bytes) return std::string_view();
    const size_t want =
        std::min<uint64_t>(kBufferBytes, info_.size_bytes - position_);
    PENSTOCK_ASSIGN_OR_RETURN(const size_t got,
                              file_->ReadAt(position_, {buffer_.get(), want}));
    if (got < want) return Changed(position_ + got);
    const std::string_view bytes(buffer_.get(), got);
    if (position_ == 0) first_ = bytes.substr(0, kFirstBytes);
    position_ += got;
    return bytes;
  }

  bool CanSeek() const override { return true; }
  void Seek(uint64_t offset) override { position_ = offset; }
  uint64_t position() const override { return position_; }
  uint64_t size_bytes() const override { return info_.size_bytes; }

  Status CheckEnd(uint64_t, bool) override {
    PENSTOCK_ASSIGN_OR_RETURN(const FileInfo now, file_->Stat());
    if (now.size_bytes != info_.size_bytes) return Changed(now.size_bytes);
    return OkStatus();
  }

  std::string_view first_bytes() const override { return first_; }
  const std::string& path() const override { return file_->path(); }

 private:
  Status Changed(uint64_t size_now) const {
    return FailedPreconditionError(
        fmt::format("{}: file changed while reading (size {} -> {})", path(),
                    info_.size_bytes, size_now));
  }

  const std::unique_ptr<ReadableFile> file_;
  const FileInfo info_;
  const std::unique_ptr<char[]> buffer_;
  std::string first_;
  uint64_t position_ = 0;
};

}  // namespace

std::unique_ptr<ArchiveSource> MakeStreamSource(
    std::unique_ptr<ByteStream> stream) {
  return std::make_unique<StreamSource>(std::move(stream));
}

StatusOr<std::unique_ptr<ArchiveSource>> MakeFileSource(
    std::unique_ptr<ReadableFile> file) {
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, file->Stat());
  return std::make_unique<FileSource>(std::move(file), info);
}

}  // namespace penstock
