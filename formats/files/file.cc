#include "formats/files/file.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/files/status_or.h"

namespace penstock {

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
