// The system calls that files are made of, as a table that tests can replace.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace penstock {

// Each call behaves exactly as the kernel's of that name: -1 and errno on
// failure, short counts and EINTR included. Whoever calls deals with those.
//
// Threads: any number at a time.
class PosixCalls {
 public:
  virtual ~PosixCalls() = default;

  virtual int Open(const char* path, int flags, mode_t mode) = 0;
  // fcntl with F_DUPFD_CLOEXEC.
  virtual int Duplicate(int fd) = 0;
  virtual int Close(int fd) = 0;
  // flock with LOCK_EX and LOCK_NB; ends with the descriptor.
  virtual int Flock(int fd) = 0;
  virtual ssize_t Pread(int fd, void* out, size_t size, off_t offset) = 0;
  // pread of what the system has in memory: preadv2 with RWF_NOWAIT.
  virtual ssize_t PreadCached(int fd, void* out, size_t size, off_t offset) = 0;
  virtual ssize_t Write(int fd, const void* bytes, size_t size) = 0;
  virtual int Fsync(int fd) = 0;
  // sync_file_range that starts to write out [offset, offset + size) and waits
  // for nothing; a hint, as Fsync() tells what went wrong.
  virtual void StartWriting(int fd, off_t offset, off_t size) = 0;
  virtual int Fstat(int fd, struct stat* info) = 0;
  virtual int Stat(const char* path, struct stat* info) = 0;
  virtual int Rename(const char* from, const char* to) = 0;
  virtual int Link(const char* from, const char* to) = 0;
  // renameat2 with RENAME_NOREPLACE.
  virtual int RenameNew(const char* from, const char* to) = 0;
  virtual ssize_t Readlink(const char* path, char* out, size_t size) = 0;
  virtual int Unlink(const char* path) = 0;
  virtual int Rmdir(const char* path) = 0;
  virtual int Mkdir(const char* path, mode_t mode) = 0;
  // opendir, readdir to the end and closedir: the names in `folder` in no
  // order, without "." and "..".
  virtual int ListFolder(const char* folder,
                         std::vector<std::string>* names) = 0;
  // mmap of `size` bytes to be read, shared; null and errno on failure.
  virtual void* Mmap(int fd, size_t size, off_t offset) = 0;
  virtual void Munmap(void* begin, size_t size) = 0;
  // posix_fadvise; a hint, so its failure is nobody's concern.
  virtual void Fadvise(int fd, off_t offset, off_t size, int advice) = 0;
};

// The real ones. Never destroyed.
PosixCalls& KernelCalls();

}  // namespace penstock
