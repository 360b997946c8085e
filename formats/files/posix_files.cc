#include "formats/files/posix_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <optional>
#include <utility>

#include "formats/files/output_path.h"
#include "formats/files/posix_open_file.h"
#include "formats/files/posix_status.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

Status NotAFile(const std::string& path, const struct stat& info) {
  return InvalidArgumentError(
      S_ISDIR(info.st_mode)
          ? fmt::format("{}: is a folder, not a file", path)
          : fmt::format("{}: is not a regular file (a pipe or device has no "
                        "size; copy it to a file first)",
                        path));
}

}  // namespace

int PosixFiles::Open(const std::string& path, int flags) {
  int fd;
  do {
    fd = calls_.Open(path.c_str(), flags | O_CLOEXEC, 0666);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

StatusOr<std::unique_ptr<ReadableFile>> PosixFiles::OpenForRead(
    const std::string& path) {
  // Without O_NONBLOCK opening a pipe would wait for its writer.
  const int fd = Open(path, O_RDONLY | O_NONBLOCK);
  if (fd < 0) return PosixStatus(errno, path, "open");
  struct stat info = {};
  Status status;
  if (calls_.Fstat(fd, &info) != 0) {
    status = PosixStatus(errno, path, "stat");
  } else if (!S_ISREG(info.st_mode)) {
    status = NotAFile(path, info);
  }
  if (!status.ok()) {
    calls_.Close(fd);
    return status;
  }
  return MakePosixReadableFile(calls_, fd, path);
}

StatusOr<std::unique_ptr<WritableFile>> PosixFiles::OpenForWrite(
    const std::string& path) {
  const int fd = Open(path, O_WRONLY | O_CREAT | O_TRUNC);
  if (fd < 0) return PosixStatus(errno, path, "create");
  return MakePosixWritableFile(calls_, fd, path);
}

StatusOr<std::unique_ptr<WritableFile>> PosixFiles::OpenForAppend(
    const std::string& path) {
  const int fd = Open(path, O_WRONLY | O_APPEND);
  if (fd < 0) return PosixStatus(errno, path, "open for writing");
  struct stat info = {};
  if (calls_.Fstat(fd, &info) != 0) {
    const Status status = PosixStatus(errno, path, "stat");
    calls_.Close(fd);
    return status;
  }
  return MakePosixWritableFile(calls_, fd, path, ToFileInfo(info).size_bytes);
}

StatusOr<std::unique_ptr<WritableFile>> PosixFiles::OpenInPlace(
    const std::string& path) {
  const std::optional<int> own = DescriptorOfPath(path);
  const int fd = own.has_value() ? calls_.Duplicate(*own)
                                 : Open(path, O_WRONLY | O_APPEND | O_NOCTTY);
  if (fd < 0) return PosixStatus(errno, path, "open to write");
  return MakePosixWritableFile(calls_, fd, path);
}

StatusOr<FileInfo> PosixFiles::Stat(const std::string& path) {
  struct stat info = {};
  if (calls_.Stat(path.c_str(), &info) != 0) {
    return PosixStatus(errno, path, "stat");
  }
  return ToFileInfo(info);
}

StatusOr<std::vector<std::string>> PosixFiles::List(const std::string& folder) {
  std::vector<std::string> names;
  if (calls_.ListFolder(folder.c_str(), &names) != 0) {
    return PosixStatus(errno, folder, "list");
  }
  std::sort(names.begin(), names.end());
  return names;
}

Status PosixFiles::Rename(const std::string& from, const std::string& to) {
  if (calls_.Rename(from.c_str(), to.c_str()) != 0) {
    return PosixStatus(errno, from, fmt::format("rename to {}", to));
  }
  return OkStatus();
}

Status PosixFiles::RenameNew(const std::string& from, const std::string& to) {
  // Atomic on NFS, too, where O_EXCL and flock may not be.
  if (calls_.Link(from.c_str(), to.c_str()) == 0) {
    Remove(from).IgnoreError();
    return OkStatus();
  }
  const int error = errno;
  if (error == EEXIST) {
    // The server may have made the link and its answer been lost.
    struct stat info = {};
    if (calls_.Stat(from.c_str(), &info) == 0 && info.st_nlink == 2) {
      Remove(from).IgnoreError();
      return OkStatus();
    }
  }
  const bool no_links = error == EPERM || error == EOPNOTSUPP ||
                        error == ENOSYS || error == EMLINK;
  if (!no_links) return PosixStatus(error, to, "create");
  if (calls_.RenameNew(from.c_str(), to.c_str()) == 0) return OkStatus();
  if (errno == EEXIST) return PosixStatus(EEXIST, to, "create");
  // Buckets that are mounted know neither. Whoever is killed in between leaves
  // an empty file of that name.
  const int fd = Open(to, O_WRONLY | O_CREAT | O_EXCL);
  if (fd < 0) return PosixStatus(errno, to, "create");
  calls_.Close(fd);
  return Rename(from, to);
}

bool PosixFiles::IsStill(int fd, const std::string& path,
                         std::string_view expected) {
  struct stat open = {};
  struct stat named = {};
  if (calls_.Fstat(fd, &open) != 0 || calls_.Stat(path.c_str(), &named) != 0 ||
      open.st_dev != named.st_dev || open.st_ino != named.st_ino) {
    return false;
  }
  std::string bytes(expected.size() + 1, '\0');
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got =
        calls_.Pread(fd, bytes.data() + filled, bytes.size() - filled, filled);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    filled += got;
  }
  return std::string_view(bytes).substr(0, filled) == expected;
}

Status PosixFiles::RenameOver(const std::string& from, const std::string& to,
                              std::string_view expected) {
  const int fd = Open(to, O_RDWR);
  if (fd < 0) return PosixStatus(errno, to, "open to replace");
  Status status;
  // Whoever gets it behind another finds the name to be another file's. It is
  // the processes of one host that take turns, so any kind of NFS will do.
  const int error = calls_.Flock(fd) == 0 ? 0 : errno;
  if (error != 0 && error != EWOULDBLOCK && error != EINTR) {
    status = PosixStatus(error, to, "lock to replace");
  } else if (error != 0 || !IsStill(fd, to, expected)) {
    status = FailedPreconditionError(
        fmt::format("{}: has changed and is not replaced", to));
  } else {
    status = Rename(from, to);
  }
  calls_.Close(fd);
  return status;
}

StatusOr<std::string> PosixFiles::ReadLink(const std::string& path) {
  std::string target(PATH_MAX, '\0');
  const ssize_t size =
      calls_.Readlink(path.c_str(), target.data(), target.size());
  if (size < 0) return PosixStatus(errno, path, "read the link");
  target.resize(size);
  return target;
}

Status PosixFiles::Remove(const std::string& path) {
  if (calls_.Unlink(path.c_str()) != 0) {
    return PosixStatus(errno, path, "remove");
  }
  return OkStatus();
}

Status PosixFiles::RemoveFolder(const std::string& folder) {
  if (calls_.Rmdir(folder.c_str()) != 0) {
    return PosixStatus(errno, folder, "remove the folder");
  }
  return OkStatus();
}

Status PosixFiles::CreateFolders(const std::string& folder) {
  for (size_t end = 0; end < folder.size();) {
    end = std::min(folder.find('/', end + 1), folder.size());
    const std::string part = folder.substr(0, end);
    if (part == "/") continue;
    if (calls_.Mkdir(part.c_str(), 0777) == 0) {
      const size_t slash = part.find_last_of('/');
      PENSTOCK_RETURN_IF_ERROR(SyncFolder(
          slash == std::string::npos ? "." : part.substr(0, slash + 1)));
      continue;
    }
    const int error = errno;
    // A read-only parent says EROFS or EACCES even where the folder exists.
    auto info = Stat(part);
    if (!info.ok()) return PosixStatus(error, part, "make the folder");
    if (!info->is_folder) {
      return InvalidArgumentError(
          fmt::format("{}: cannot make the folder: it is a file", part));
    }
  }
  return OkStatus();
}

Status PosixFiles::SyncFolder(const std::string& folder) {
  const int fd = Open(folder, O_RDONLY | O_DIRECTORY);
  if (fd < 0) return PosixStatus(errno, folder, "open the folder");
  int result;
  do {
    result = calls_.Fsync(fd);
  } while (result != 0 && errno == EINTR);
  const int error = errno;
  const bool closed = calls_.Close(fd) == 0 || errno == EINTR;
  // EINVAL: a file system that has nothing to sync for a folder.
  if (result != 0 && error != EINVAL) {
    return PosixStatus(error, folder, "sync the folder");
  }
  if (!closed) return PosixStatus(errno, folder, "close the folder");
  return OkStatus();
}

FileSystem& LocalFiles() {
  static PosixFiles& files = *new PosixFiles(KernelCalls());
  return files;
}

}  // namespace penstock
