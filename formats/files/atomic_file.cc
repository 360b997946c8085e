#include "formats/files/atomic_file.h"

#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <utility>

#include "formats/files/memory_guard.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

std::string FolderOf(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Hidden, so that no glob takes it for a shard; random, so that two processes,
// also on two machines, may write the same file at once.
std::string TemporaryPath(const std::string& path) {
  std::random_device random;
  const uint64_t nonce = uint64_t{random()} << 32 | random();
  const size_t name = path.find_last_of('/') + 1;  // npos + 1 == 0
  return fmt::format("{}.{}.{:016x}.tmp", path.substr(0, name),
                     path.substr(name), nonce);
}

}  // namespace

StatusOr<std::unique_ptr<AtomicFile>> AtomicFile::Create(
    FileSystem& files, const std::string& path) {
  const auto existing = files.Stat(path);
  if (path.empty() || path.ends_with('/') ||
      (existing.ok() && existing->is_folder)) {
    return InvalidArgumentError(
        fmt::format("{}: is a folder, not a file to write", path));
  }
  // Made before the file is: where memory ends in between, it is removed.
  std::unique_ptr<AtomicFile> file(
      new AtomicFile(files, path, TemporaryPath(path)));
  PENSTOCK_ASSIGN_OR_RETURN(file->file_,
                            files.OpenForWrite(file->temporary_path_));
  return file;
}

AtomicFile::AtomicFile(FileSystem& files, std::string path,
                       std::string temporary_path)
    : files_(files),
      path_(std::move(path)),
      temporary_path_(std::move(temporary_path)) {}

AtomicFile::~AtomicFile() {
  if (committed_) return;
  file_.reset();
  GuardMemory(OkStatus(), [&] {
    return files_.Remove(temporary_path_);
  }).IgnoreError();
}

Status AtomicFile::Append(std::string_view bytes) {
  if (file_ == nullptr) {
    return FailedPreconditionError(
        fmt::format("{}: is committed already", path_));
  }
  return file_->Append(bytes);
}

Status AtomicFile::Commit() {
  if (file_ == nullptr) {
    return FailedPreconditionError(
        fmt::format("{}: is committed already", path_));
  }
  PENSTOCK_RETURN_IF_ERROR(file_->Sync());
  PENSTOCK_RETURN_IF_ERROR(file_->Close());
  PENSTOCK_RETURN_IF_ERROR(files_.Rename(temporary_path_, path_));
  file_ = nullptr;
  committed_ = true;
  return files_.SyncFolder(FolderOf(path_));
}

Status WriteFileAtomically(FileSystem& files, const std::string& path,
                           std::string_view bytes) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto file, AtomicFile::Create(files, path));
  PENSTOCK_RETURN_IF_ERROR(file->Append(bytes));
  return file->Commit();
}

}  // namespace penstock
