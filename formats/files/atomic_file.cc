#include "formats/files/atomic_file.h"

#include <fmt/format.h>

#include <utility>

#include "formats/files/file_owner.h"
#include "formats/files/memory_guard.h"
#include "formats/files/output_path.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

std::string TemporaryPath(const std::string& path) {
  const size_t name = path.find_last_of('/') + 1;  // npos + 1 == 0
  return path.substr(0, name) + TemporaryName(path.substr(name));
}

}  // namespace

StatusOr<std::unique_ptr<AtomicFile>> AtomicFile::Create(
    FileSystem& files, const std::string& path) {
  PENSTOCK_ASSIGN_OR_RETURN(const OutputPath output, FindOutput(files, path));
  // Made before the file is: where memory ends in between, it is removed.
  std::unique_ptr<AtomicFile> file(new AtomicFile(
      files, output.path, output.in_place ? "" : TemporaryPath(output.path)));
  PENSTOCK_ASSIGN_OR_RETURN(
      file->file_, output.in_place ? files.OpenInPlace(output.path)
                                   : files.OpenForWrite(file->temporary_path_));
  return file;
}

AtomicFile::AtomicFile(FileSystem& files, std::string path,
                       std::string temporary_path)
    : files_(files),
      path_(std::move(path)),
      temporary_path_(std::move(temporary_path)) {}

AtomicFile::~AtomicFile() {
  file_.reset();
  if (committed_ || in_place()) return;
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
  if (in_place()) {  // what cannot last needs no sync
    const Status closed = file_->Close();
    file_ = nullptr;
    return closed;
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
