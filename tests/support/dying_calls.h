// System calls of a process that is killed at one of them.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/files/posix_calls.h"

namespace penstock::testing {

// Forwards to the kernel, a few bytes at a time, and dies of SIGKILL in front
// of call number `instant`. For a child process: nobody cleans up.
//
// Threads: one at a time.
class DyingCalls final : public PosixCalls {
 public:
  DyingCalls(uint64_t instant, size_t most_bytes)
      : left_(instant), most_bytes_(most_bytes) {}

  int Open(const char* path, int flags, mode_t mode) override {
    return Live().Open(path, flags, mode);
  }
  int Close(int fd) override { return Live().Close(fd); }
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
  int Fsync(int fd) override { return Live().Fsync(fd); }
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
  int Unlink(const char* path) override { return Live().Unlink(path); }
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
    if (left_-- == 0) kill(getpid(), SIGKILL);
    return KernelCalls();
  }

  uint64_t left_;
  const size_t most_bytes_;
};

}  // namespace penstock::testing
