#include "formats/files/posix_calls.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {
namespace {

class Kernel final : public PosixCalls {
 public:
  int Open(const char* path, int flags, mode_t mode) override {
    return ::open(path, flags, mode);
  }
  int Duplicate(int fd) override { return ::fcntl(fd, F_DUPFD_CLOEXEC, 0); }
  int Close(int fd) override { return ::close(fd); }
  int Flock(int fd) override { return ::flock(fd, LOCK_EX | LOCK_NB); }
  ssize_t Pread(int fd, void* out, size_t size, off_t offset) override {
    return ::pread(fd, out, size, offset);
  }
  ssize_t PreadCached(int fd, void* out, size_t size, off_t offset) override {
    const iovec piece = {out, size};
    return ::preadv2(fd, &piece, 1, offset, RWF_NOWAIT);
  }
  ssize_t Write(int fd, const void* bytes, size_t size) override {
    return ::write(fd, bytes, size);
  }
  int Fsync(int fd) override { return ::fsync(fd); }
  void StartWriting(int fd, off_t offset, off_t size) override {
    ::sync_file_range(fd, offset, size, SYNC_FILE_RANGE_WRITE);
  }
  int Fstat(int fd, struct stat* info) override { return ::fstat(fd, info); }
  int Stat(const char* path, struct stat* info) override {
    return ::stat(path, info);
  }
  int Rename(const char* from, const char* to) override {
    return ::rename(from, to);
  }
  int Link(const char* from, const char* to) override {
    return ::link(from, to);
  }
  int RenameNew(const char* from, const char* to) override {
    return ::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
  }
  ssize_t Readlink(const char* path, char* out, size_t size) override {
    return ::readlink(path, out, size);
  }
  int Unlink(const char* path) override { return ::unlink(path); }
  int Rmdir(const char* path) override { return ::rmdir(path); }
  int Mkdir(const char* path, mode_t mode) override {
    return ::mkdir(path, mode);
  }

  int ListFolder(const char* folder, std::vector<std::string>* names) override {
    DIR* open_folder = ::opendir(folder);
    if (open_folder == nullptr) return -1;
    int error = 0;
    while (true) {
      errno = 0;
      // readdir is safe here: no other thread has this DIR.
      const dirent* entry =
          ::readdir(open_folder);  // NOLINT(concurrency-mt-unsafe)
      if (entry == nullptr) {
        error = errno;
        break;
      }
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names->emplace_back(name);
    }
    ::closedir(open_folder);
    errno = error;
    return error == 0 ? 0 : -1;
  }

  void* Mmap(int fd, size_t size, off_t offset) override {
    void* const begin =
        ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, offset);
    return begin == MAP_FAILED ? nullptr : begin;
  }
  void Munmap(void* begin, size_t size) override { ::munmap(begin, size); }

  void Fadvise(int fd, off_t offset, off_t size, int advice) override {
    ::posix_fadvise(fd, offset, size, advice);
  }
};

}  // namespace

PosixCalls& KernelCalls() {
  static Kernel& kernel = *new Kernel;
  return kernel;
}

}  // namespace penstock
