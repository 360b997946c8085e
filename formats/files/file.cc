#include "formats/files/file.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

Status CannotDo(const std::string& path, std::string_view what) {
  return UnimplementedError(
      fmt::format("{}: this file system cannot {}", path, what));
}

}  // namespace

StatusOr<std::unique_ptr<WritableFile>> FileSystem::OpenInPlace(
    const std::string& path) {
  return CannotDo(path, "write into devices");
}

Status FileSystem::RenameNew(const std::string& /*from*/,
                             const std::string& to) {
  return CannotDo(to, "tell whether a name is new");
}

Status FileSystem::RenameOver(const std::string& /*from*/,
                              const std::string& to,
                              std::string_view /*expected*/) {
  return CannotDo(to, "replace a file by what it holds");
}

StatusOr<std::string> FileSystem::ReadLink(const std::string& path) {
  return InvalidArgumentError(fmt::format("{}: is no link", path));
}

Status FileSystem::RemoveFolder(const std::string& folder) {
  return CannotDo(folder, "remove folders");
}

StatusOr<std::unique_ptr<WritableFile>> FileSystem::OpenForAppend(
    const std::string& path) {
  return UnimplementedError(
      fmt::format("{}: this file system writes no file in parts", path));
}

StatusOr<std::string> ReadWholeFile(FileSystem& files, const std::string& path,
                                    uint64_t limit_bytes) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto file, files.OpenForRead(path));
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, file->Stat());
  if (info.size_bytes > limit_bytes) {
    return ResourceExhaustedError(
        fmt::format("{}: has {} bytes, the limit here is {}", path,
                    info.size_bytes, limit_bytes));
  }
  // One byte more than the size shows whether the file grew.
  std::string bytes(info.size_bytes + 1, '\0');
  PENSTOCK_ASSIGN_OR_RETURN(const size_t got, file->ReadAt(0, bytes));
  if (got != info.size_bytes) {
    return FailedPreconditionError(fmt::format(
        "{}: file changed while reading (size {} -> {}{})", path,
        info.size_bytes, got, got > info.size_bytes ? " or more" : ""));
  }
  bytes.resize(got);
  return bytes;
}

}  // namespace penstock
