// System calls that go wrong on a schedule, and a disk that can lose power.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "formats/files/posix_calls.h"

namespace penstock::testing {

enum class Call {
  kOpen,
  kClose,
  kRead,
  kWrite,
  kSync,
  kStat,
  kRename,
  kUnlink,
  kMkdir,
  kList,
  kMap,
  kReadCached,
  kLink,
};
inline constexpr size_t kCalls = 13;

// Forwards to the kernel except where told otherwise.
//
// Threads: one at a time.
class FaultyCalls : public PosixCalls {
 public:
  // The n-th call of that kind from now on (0 is the next) fails so, once.
  void FailAt(Call call, uint64_t n, int error);
  // Every other call that may be interrupted is.
  void InterruptEveryOther() { interrupt_ = true; }
  // No read or write moves more bytes than this.
  void LimitTransfers(size_t bytes) { most_bytes_ = bytes; }

  // How many calls of that kind there were.
  uint64_t count(Call call) const { return counts_[Index(call)]; }
  // How many bytes the disk was told to begin with.
  uint64_t started_bytes() const { return started_bytes_; }
  // Those of kRead and of what is in memory.
  uint64_t all_reads() const {
    return count(Call::kRead) + count(Call::kReadCached);
  }

  // Makes the disk what it is after the power failed: contents as of the last
  // fsync of each file, names as of the last fsync of each folder. Knows the
  // files that were written, renamed or removed through these calls.
  void LosePower();

  int Open(const char* path, int flags, mode_t mode) override;
  int Duplicate(int fd) override { return KernelCalls().Duplicate(fd); }
  int Close(int fd) override;
  int Flock(int fd) override { return KernelCalls().Flock(fd); }
  ssize_t Pread(int fd, void* out, size_t size, off_t offset) override;
  // Every other call finds nothing in memory.
  ssize_t PreadCached(int fd, void* out, size_t size, off_t offset) override;
  ssize_t Write(int fd, const void* bytes, size_t size) override;
  int Fsync(int fd) override;
  // Like a disk that takes nothing before it must.
  void StartWriting(int fd, off_t offset, off_t size) override {
    started_bytes_ += size;
  }
  int Fstat(int fd, struct stat* info) override;
  int Stat(const char* path, struct stat* info) override;
  int Rename(const char* from, const char* to) override;
  int Link(const char* from, const char* to) override;
  int RenameNew(const char* from, const char* to) override;
  ssize_t Readlink(const char* path, char* out, size_t size) override {
    return KernelCalls().Readlink(path, out, size);
  }
  int Unlink(const char* path) override;
  // Folders are taken to last as soon as they are made or removed.
  int Rmdir(const char* path) override { return KernelCalls().Rmdir(path); }
  int Mkdir(const char* path, mode_t mode) override;
  int ListFolder(const char* folder, std::vector<std::string>* names) override;
  void* Mmap(int fd, size_t size, off_t offset) override;
  void Munmap(void* begin, size_t size) override;
  void Fadvise(int fd, off_t offset, off_t size, int advice) override {}

 private:
  struct Content {
    std::string now;
    std::string synced;
  };
  struct Name {
    std::shared_ptr<Content> now;     // null: there is no such file
    std::shared_ptr<Content> synced;  // null: there was none
  };
  struct Fault {
    uint64_t at;
    int error;
  };

  static size_t Index(Call call) { return static_cast<size_t>(call); }
  // Counts the call; true with errno set where it has to fail.
  bool Fails(Call call);
  bool Interrupted();
  Name& NameOf(const std::string& path);

  std::array<uint64_t, kCalls> counts_ = {};
  std::array<std::optional<Fault>, kCalls> faults_;
  bool interrupt_ = false;
  uint64_t interruptible_ = 0;
  uint64_t started_bytes_ = 0;
  size_t most_bytes_ = std::numeric_limits<size_t>::max();
  std::map<std::string, Name> names_;
  std::map<int, std::shared_ptr<Content>> written_;  // by descriptor
  std::map<int, std::string> folders_;               // by descriptor
};

}  // namespace penstock::testing
