// System calls of a process that is killed at one of them.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "formats/files/posix_calls.h"

namespace penstock::testing {

// Forwards to `under`, a few bytes at a time, and dies of SIGKILL in front of
// call number `instant`, behind `last`, if that is given. For a child process:
// nobody cleans up.
//
// Threads: one at a time.
class DyingCalls final : public PosixCalls {
 public:
  DyingCalls(uint64_t instant, size_t most_bytes,
             PosixCalls& under = KernelCalls(),
             std::function<void()> last = nullptr)
      : left_(instant),
        most_bytes_(most_bytes),
        under_(under),
        last_(std::move(last)) {}

  int Open(const char* path, int flags, mode_t mode) override {
    return Live().Open(path, flags, mode);
  }
  int Duplicate(int fd) override { return Live().Duplicate(fd); }
  int Close(int fd) override { return Live().Close(fd); }
  int Flock(int fd) override { return Live().Flock(fd); }
  ssize_t Pread(int fd, void* out, size_t size, off_t offset) override {
    return Live().Pread(fd, out, std::min(size, most_bytes_), offset);
  }
  ssize_t PreadCached(int fd, void* out, size_t size, off_t offset) override {
    return Live().PreadCached(fd, out, std::min(size, most_bytes_), offset);
  }
  void* Mmap(int fd, size_t size, off_t offset) override {
    return Live().Mmap(fd, size, offset);
  }
  void Munmap(void* begin, size_t size) override { Live().Munmap(begin, size); }
  ssize_t Write(int fd, const void* bytes, size_t size) override {
    return Live().Write(fd, bytes, std::min(size, most_bytes_));
  }
  // A process that dies loses nothing that it wrote, so the disk may take its
  // time; `under` may want to know.
  int Fsync(int fd) override {
    PosixCalls& under = Live();
    return &under == &KernelCalls() ? 0 : under.Fsync(fd);
  }
  void StartWriting(int fd, off_t offset, off_t size) override {
    Live().StartWriting(fd, offset, size);
  }
  int Fstat(int fd, struct stat* info) override {
    return Live().Fstat(fd, info);
  }
  int Stat(const char* path, struct stat* info) override {
    return Live().Stat(path, info);
  }
  int Rename(const char* from, const char* to) override {
    return Live().Rename(from, to);
  }
  int Link(const char* from, const char* to) override {
    return Live().Link(from, to);
  }
  int RenameNew(const char* from, const char* to) override {
    return Live().RenameNew(from, to);
  }
  ssize_t Readlink(const char* path, char* out, size_t size) override {
    return Live().Readlink(path, out, size);
  }
  int Unlink(const char* path) override { return Live().Unlink(path); }
  int Rmdir(const char* path) override { return Live().Rmdir(path); }
  int Mkdir(const char* path, mode_t mode) override {
    return Live().Mkdir(path, mode);
  }
  int ListFolder(const char* folder, std::vector<std::string>* names) override {
    return Live().ListFolder(folder, names);
  }
  void Fadvise(int fd, off_t offset, off_t size, int advice) override {
    Live().Fadvise(fd, offset, size, advice);
  }

 private:
  PosixCalls& Live() {
    if (left_-- == 0) {
      if (last_) last_();
      kill(getpid(), SIGKILL);
    }
    return under_;
  }

  uint64_t left_;
  const size_t most_bytes_;
  PosixCalls& under_;
  const std::function<void()> last_;
};

}  // namespace penstock::testing
