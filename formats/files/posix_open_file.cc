#include "formats/files/posix_open_file.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <limits>
#include <utility>

#include "formats/files/mapped_bytes.h"
#include "formats/files/posix_status.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

// What is written before the disk is told; less costs calls, more costs time
// at the end.
constexpr uint64_t kStartWritingBytes = 8 << 20;

class PosixReadableFile final : public ReadableFile {
 public:
  PosixReadableFile(PosixCalls& calls, int fd, std::string path)
      : calls_(calls), fd_(fd), path_(std::move(path)) {}
  ~PosixReadableFile() override { calls_.Close(fd_); }

  StatusOr<size_t> ReadAt(uint64_t offset, std::span<char> out) const override {
    constexpr uint64_t kLargestOffset = std::numeric_limits<off_t>::max();
    if (offset > kLargestOffset || out.size() > kLargestOffset - offset) {
      return InvalidArgumentError(fmt::format(
          "{}: cannot read at offset {}: past any file", path_, offset));
    }
    size_t filled = 0;
    while (filled < out.size()) {
      const ssize_t got = calls_.Pread(fd_, out.data() + filled,
                                       out.size() - filled, offset + filled);
      if (got == 0) break;
      if (got > 0) {
        filled += got;
      } else if (errno != EINTR) {
        return PosixStatus(errno, path_,
                           fmt::format("read at offset {}", offset + filled));
      }
    }
    return filled;
  }

  StatusOr<FileInfo> Stat() const override {
    struct stat info = {};
    if (calls_.Fstat(fd_, &info) != 0) {
      return PosixStatus(errno, path_, "stat");
    }
    return ToFileInfo(info);
  }

  size_t ReadCached(uint64_t offset, std::span<char> out) const override {
    if (never_cached_.load(std::memory_order_relaxed)) return 0;
    const ssize_t got = calls_.PreadCached(fd_, out.data(), out.size(), offset);
    if (got < 0 && errno != EAGAIN && errno != EINTR) {
      // Not every file system can tell; ReadAt() says what is wrong otherwise.
      never_cached_.store(true, std::memory_order_relaxed);
    }
    return got < 0 ? 0 : got;
  }

  std::unique_ptr<FileBytes> Map(uint64_t offset,
                                 uint64_t size_bytes) const override {
    return MapFile(calls_, fd_, offset, size_bytes);
  }

  void WillRead(uint64_t offset, uint64_t size_bytes) const override {
    calls_.Fadvise(fd_, offset, size_bytes, POSIX_FADV_WILLNEED);
  }

  const std::string& path() const override { return path_; }

 private:
  PosixCalls& calls_;
  const int fd_;
  const std::string path_;
  mutable std::atomic<bool> never_cached_ = false;  // relaxed: only a hint
};

// After the first failure every call returns it: what the kernel kept of the
// file is unknown then, and a second fsync may report a success that is none.
class PosixWritableFile final : public WritableFile {
 public:
  PosixWritableFile(PosixCalls& calls, int fd, std::string path,
                    uint64_t size_bytes)
      : calls_(calls),
        fd_(fd),
        path_(std::move(path)),
        size_bytes_(size_bytes),
        started_bytes_(size_bytes) {}
  ~PosixWritableFile() override {
    if (fd_ >= 0) calls_.Close(fd_);
  }

  Status Append(std::string_view bytes) override {
    PENSTOCK_RETURN_IF_ERROR(Ready());
    while (!bytes.empty()) {
      const ssize_t put = calls_.Write(fd_, bytes.data(), bytes.size());
      if (put > 0) {
        size_bytes_ += put;
        bytes.remove_prefix(put);
        StartWriting();
      } else if (put == 0 || errno != EINTR) {
        failed_ = PosixStatus(put == 0 ? EIO : errno, path_,
                              fmt::format("write {} bytes at offset {}",
                                          bytes.size(), size_bytes_));
        return failed_;
      }
    }
    return OkStatus();
  }

  Status Sync() override {
    PENSTOCK_RETURN_IF_ERROR(Ready());
    int result;
    do {
      result = calls_.Fsync(fd_);
    } while (result != 0 && errno == EINTR);
    if (result != 0) failed_ = PosixStatus(errno, path_, "sync");
    return failed_;
  }

  Status Close() override {
    PENSTOCK_RETURN_IF_ERROR(Ready());
    const int result = calls_.Close(std::exchange(fd_, -1));
    // Linux has let go of the descriptor even where close was interrupted.
    if (result != 0 && errno != EINTR) {
      failed_ = PosixStatus(errno, path_, "close");
    }
    return failed_;
  }

  const std::string& path() const override { return path_; }

 private:
  Status Ready() const {
    if (!failed_.ok() || fd_ >= 0) return failed_;
    return FailedPreconditionError(
        fmt::format("{}: the file is closed", path_));
  }

  // The disk works while more is written, so that Sync() has little to wait
  // for; without it a large file lies in memory up to then.
  void StartWriting() {
    const uint64_t ready_bytes = size_bytes_ - started_bytes_;
    if (ready_bytes < kStartWritingBytes) return;
    calls_.StartWriting(fd_, started_bytes_, ready_bytes);
    started_bytes_ = size_bytes_;
  }

  PosixCalls& calls_;
  int fd_;  // -1 after Close()
  const std::string path_;
  uint64_t size_bytes_;
  uint64_t started_bytes_;  // of them, those on their way to the disk
  Status failed_;
};

}  // namespace

std::unique_ptr<ReadableFile> MakePosixReadableFile(PosixCalls& calls, int fd,
                                                    std::string path) {
  return std::make_unique<PosixReadableFile>(calls, fd, std::move(path));
}

std::unique_ptr<WritableFile> MakePosixWritableFile(PosixCalls& calls, int fd,
                                                    std::string path,
                                                    uint64_t size_bytes) {
  return std::make_unique<PosixWritableFile>(calls, fd, std::move(path),
                                             size_bytes);
}

FileInfo ToFileInfo(const struct stat& info) {
  return {.size_bytes = static_cast<uint64_t>(info.st_size),
          .mtime_ns = int64_t{info.st_mtim.tv_sec} * 1'000'000'000 +
                      info.st_mtim.tv_nsec,
          .is_folder = S_ISDIR(info.st_mode),
          .is_stream = !S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode),
          .device = info.st_dev,
          .inode = info.st_ino};
}

}  // namespace penstock
