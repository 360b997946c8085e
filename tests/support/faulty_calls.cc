#include "tests/support/faulty_calls.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace penstock::testing {

void FaultyCalls::FailAt(Call call, uint64_t n, int error) {
  faults_[Index(call)] = Fault{counts_[Index(call)] + n, error};
}

bool FaultyCalls::Fails(Call call) {
  const uint64_t n = counts_[Index(call)]++;
  const std::optional<Fault>& fault = faults_[Index(call)];
  if (!fault.has_value() || fault->at != n) return false;
  errno = fault->error;
  return true;
}

bool FaultyCalls::Interrupted() {
  if (!interrupt_ || interruptible_++ % 2 != 0) return false;
  errno = EINTR;
  return true;
}

FaultyCalls::Name& FaultyCalls::NameOf(const std::string& path) {
  const auto [at, is_new] = names_.try_emplace(path);
  if (is_new && std::filesystem::is_regular_file(path)) {
    // A file from before is whole on disk.
    std::ifstream in(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    at->second.now = std::make_shared<Content>(Content{bytes, bytes});
    at->second.synced = at->second.now;
  }
  return at->second;
}

void FaultyCalls::LosePower() {
  for (auto& [path, name] : names_) {
    std::filesystem::remove(path);
    if (name.synced != nullptr) {
      std::ofstream(path, std::ios::binary) << name.synced->synced;
    }
  }
  names_.clear();
}

int FaultyCalls::Open(const char* path, int flags, mode_t mode) {
  if (Fails(Call::kOpen) || Interrupted()) return -1;
  if ((flags & O_CREAT) != 0) NameOf(path);
  const int fd = KernelCalls().Open(path, flags, mode);
  if (fd < 0) return fd;
  if ((flags & O_CREAT) != 0) {
    Name& name = NameOf(path);
    if (name.now == nullptr) name.now = std::make_shared<Content>();
    if ((flags & O_TRUNC) != 0) name.now->now.clear();
    written_[fd] = name.now;
  } else if ((flags & O_DIRECTORY) != 0) {
    folders_[fd] = std::filesystem::path(std::string(path) + "/")
                       .lexically_normal()
                       .string();
  }
  return fd;
}

int FaultyCalls::Close(int fd) {
  const bool fails = Fails(Call::kClose);
  const int error = errno;
  written_.erase(fd);
  folders_.erase(fd);
  const int result = KernelCalls().Close(fd);
  if (fails) errno = error;
  // As in Linux, an interrupted close has closed.
  return fails || Interrupted() ? -1 : result;
}

ssize_t FaultyCalls::Pread(int fd, void* out, size_t size, off_t offset) {
  if (Fails(Call::kRead) || Interrupted()) return -1;
  return KernelCalls().Pread(fd, out, std::min(size, most_bytes_), offset);
}

ssize_t FaultyCalls::PreadCached(int fd, void* out, size_t size, off_t offset) {
  if (Fails(Call::kReadCached)) return -1;
  if (count(Call::kReadCached) % 2 == 1) {
    errno = EAGAIN;
    return -1;
  }
  return KernelCalls().PreadCached(fd, out, std::min(size, most_bytes_),
                                   offset);
}

ssize_t FaultyCalls::Write(int fd, const void* bytes, size_t size) {
  if (Fails(Call::kWrite) || Interrupted()) return -1;
  const ssize_t put =
      KernelCalls().Write(fd, bytes, std::min(size, most_bytes_));
  if (put > 0) written_[fd]->now.append(static_cast<const char*>(bytes), put);
  return put;
}

int FaultyCalls::Fsync(int fd) {
  if (Fails(Call::kSync) || Interrupted()) return -1;
  if (const auto file = written_.find(fd); file != written_.end()) {
    file->second->synced = file->second->now;
  }
  if (const auto folder = folders_.find(fd); folder != folders_.end()) {
    for (auto& [path, name] : names_) {
      const size_t end = path.rfind('/') + 1;
      if (path.substr(0, end) == folder->second) name.synced = name.now;
    }
  }
  return 0;  // what the real disk keeps is not asked for
}

int FaultyCalls::Fstat(int fd, struct stat* info) {
  return Fails(Call::kStat) ? -1 : KernelCalls().Fstat(fd, info);
}

int FaultyCalls::Stat(const char* path, struct stat* info) {
  return Fails(Call::kStat) ? -1 : KernelCalls().Stat(path, info);
}

int FaultyCalls::Rename(const char* from, const char* to) {
  if (Fails(Call::kRename)) return -1;
  Name& source = NameOf(from);
  Name& target = NameOf(to);
  const int result = KernelCalls().Rename(from, to);
  if (result == 0) {
    target.now = source.now;
    source.now = nullptr;
  }
  return result;
}

int FaultyCalls::Link(const char* from, const char* to) {
  if (Fails(Call::kLink)) return -1;
  const std::shared_ptr<Content> content = NameOf(from).now;
  Name& target = NameOf(to);
  const int result = KernelCalls().Link(from, to);
  if (result == 0) target.now = content;
  return result;
}

int FaultyCalls::RenameNew(const char* from, const char* to) {
  if (Fails(Call::kRename)) return -1;
  const std::shared_ptr<Content> content = NameOf(from).now;
  Name& target = NameOf(to);
  const int result = KernelCalls().RenameNew(from, to);
  if (result == 0) {
    target.now = content;
    NameOf(from).now = nullptr;
  }
  return result;
}

int FaultyCalls::Unlink(const char* path) {
  if (Fails(Call::kUnlink)) return -1;
  Name& name = NameOf(path);
  const int result = KernelCalls().Unlink(path);
  if (result == 0) name.now = nullptr;
  return result;
}

int FaultyCalls::Mkdir(const char* path, mode_t mode) {
  return Fails(Call::kMkdir) ? -1 : KernelCalls().Mkdir(path, mode);
}

int FaultyCalls::ListFolder(const char* folder,
                            std::vector<std::string>* names) {
  return Fails(Call::kList) ? -1 : KernelCalls().ListFolder(folder, names);
}

void* FaultyCalls::Mmap(int fd, size_t size, off_t offset) {
  return Fails(Call::kMap) ? nullptr : KernelCalls().Mmap(fd, size, offset);
}

void FaultyCalls::Munmap(void* begin, size_t size) {
  KernelCalls().Munmap(begin, size);
}

}  // namespace penstock::testing
