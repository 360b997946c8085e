#include "infeed/training/checkpoint_folder.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/files/atomic_file.h"
#include "formats/files/crc32c.h"

namespace penstock {
namespace {

constexpr char kCommitName[] = "COMMIT";

std::string ParentOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

std::string CheckpointFolder::PathOf(uint64_t step) const {
  return path_ + "/" + StepFolderName(step);
}

Status CheckpointFolder::Create() {
  PENSTOCK_RETURN_IF_ERROR(files_.CreateFolders(path_));
  return files_.SyncFolder(ParentOf(path_));
}

StatusOr<std::vector<uint64_t>> CheckpointFolder::Steps() {
  const auto names = files_.List(path_);
  if (IsNotFound(names.status())) return std::vector<uint64_t>();
  PENSTOCK_RETURN_IF_ERROR(names.status());
  std::vector<uint64_t> steps;  // as sorted as the names
  for (const std::string& name : *names) {
    if (const auto step = StepOfFolder(name)) steps.push_back(*step);
  }
  return steps;
}

StatusOr<bool> CheckpointFolder::IsCommitted(uint64_t step) {
  const Status found = files_.Stat(PathOf(step) + "/" + kCommitName).status();
  if (IsNotFound(found)) return false;
  PENSTOCK_RETURN_IF_ERROR(found);
  return true;
}

StatusOr<std::vector<uint64_t>> CheckpointFolder::Committed() {
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<uint64_t> steps, Steps());
  std::vector<uint64_t> committed;
  for (const uint64_t step : steps) {
    PENSTOCK_ASSIGN_OR_RETURN(const bool is, IsCommitted(step));
    if (is) committed.push_back(step);
  }
  return committed;
}

StatusOr<std::pair<std::string, std::string>> CheckpointFolder::Read(
    uint64_t step) {
  const std::string path = PathOf(step) + "/" + kCommitName;
  PENSTOCK_ASSIGN_OR_RETURN(std::string text, ReadWholeFile(files_, path));
  const StatusOr<CheckpointCommit> commit = ParseCommit(text);
  if (!commit.ok()) return Annotate(commit.status(), path);
  std::pair<std::string, std::string> read = {std::move(text), ""};
  for (const WrittenFile& part : commit->parts) {
    const std::string part_path = PathOf(step) + "/" + part.name;
    PENSTOCK_ASSIGN_OR_RETURN(std::string bytes,
                              ReadWholeFile(files_, part_path));
    if (bytes.size() != part.size_bytes || Crc32c(bytes) != part.crc32c) {
      return DataLossError(fmt::format(
          "{}: is not what was committed; remove {} to go on from the "
          "checkpoint before",
          part_path, PathOf(step)));
    }
    if (read.second.empty()) read.second = std::move(bytes);
  }
  PENSTOCK_RETURN_IF_ERROR(CheckModel(*commit));
  return read;
}

Status CheckpointFolder::CheckModel(const CheckpointCommit& commit) {
  const std::string folder = PathOf(commit.step);
  for (const ModelFile& file : commit.model) {
    const std::string path = folder + "/" + file.name;
    const auto info = files_.Stat(path);
    if (!info.ok() && !IsNotFound(info.status())) return info.status();
    if (info.ok() && info->size_bytes == file.size_bytes) continue;
    return DataLossError(fmt::format(
        "{}: {}, and was committed with {} bytes; remove {} to go on from the "
        "checkpoint before",
        path,
        info.ok() ? fmt::format("has {} bytes", info->size_bytes)
                  : "is not there",
        file.size_bytes, folder));
  }
  return OkStatus();
}

Status CheckpointFolder::Prepare(uint64_t step) {
  PENSTOCK_ASSIGN_OR_RETURN(const bool committed, IsCommitted(step));
  if (committed) {
    return AlreadyExistsError(fmt::format(
        "{}: is a checkpoint of another run; go on from it or save elsewhere",
        PathOf(step)));
  }
  const Status found = files_.Stat(PathOf(step)).status();
  if (found.ok()) PENSTOCK_RETURN_IF_ERROR(RemoveAllIn(PathOf(step)));
  PENSTOCK_RETURN_IF_ERROR(files_.CreateFolders(PathOf(step)));
  return files_.SyncFolder(path_);
}

StatusOr<WrittenFile> CheckpointFolder::WritePart(const CheckpointPart& part) {
  const std::string text = FormatPart(part);
  const std::string name = PartName(part.host, part.hosts);
  PENSTOCK_RETURN_IF_ERROR(
      WriteFileAtomically(files_, PathOf(part.step) + "/" + name, text));
  return WrittenFile{
      .name = name, .size_bytes = text.size(), .crc32c = Crc32c(text)};
}

Status CheckpointFolder::Commit(CheckpointCommit commit) {
  const std::string folder = PathOf(commit.step);
  for (const WrittenFile& part : commit.parts) {
    const std::string path = folder + "/" + part.name;
    const auto seen = files_.Stat(path);
    if (seen.ok() && seen->size_bytes == part.size_bytes) continue;
    return FailedPreconditionError(fmt::format(
        "{}: was written by its host but is not seen by host 0; all hosts "
        "must see the same folder",
        path));
  }
  commit.model.clear();
  PENSTOCK_RETURN_IF_ERROR(FindFiles(folder, "", commit.model));
  std::erase_if(commit.model, [&](const ModelFile& file) {
    return std::ranges::any_of(commit.parts, [&](const WrittenFile& part) {
      return part.name == file.name;
    });
  });
  return WriteFileAtomically(files_, folder + "/" + kCommitName,
                             FormatCommit(commit));
}

Status CheckpointFolder::Prune(size_t keep, uint64_t step) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<uint64_t> steps, Steps());
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<uint64_t> committed, Committed());
  const uint64_t first =
      committed.size() > keep ? committed[committed.size() - keep] : 0;
  bool removed = false;
  for (const uint64_t old : steps) {
    if (old >= step) continue;
    PENSTOCK_ASSIGN_OR_RETURN(const bool is, IsCommitted(old));
    if (is && old >= first) continue;
    PENSTOCK_RETURN_IF_ERROR(RemoveStep(old));
    removed = true;
  }
  return removed ? files_.SyncFolder(path_) : OkStatus();
}

// First it is no checkpoint any more, for good; then what it was made of goes.
Status CheckpointFolder::RemoveStep(uint64_t step) {
  const std::string folder = PathOf(step);
  const Status gone = files_.Remove(folder + "/" + kCommitName);
  if (!gone.ok() && !IsNotFound(gone)) return gone;
  PENSTOCK_RETURN_IF_ERROR(files_.SyncFolder(folder));
  PENSTOCK_RETURN_IF_ERROR(RemoveAllIn(folder));
  return files_.RemoveFolder(folder);
}

Status CheckpointFolder::RemoveAllIn(const std::string& folder) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto names, files_.List(folder));
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    if (IsOwnFolder(path)) {
      PENSTOCK_RETURN_IF_ERROR(RemoveAllIn(path));
      PENSTOCK_RETURN_IF_ERROR(files_.RemoveFolder(path));
    } else {
      PENSTOCK_RETURN_IF_ERROR(files_.Remove(path));
    }
  }
  return OkStatus();
}

Status CheckpointFolder::FindFiles(const std::string& folder,
                                   const std::string& prefix,
                                   std::vector<ModelFile>& found) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto names, files_.List(folder));
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    if (name.find('\n') != std::string::npos) {
      return InvalidArgumentError(fmt::format(
          "{}: the model has a file with a line break in its name", folder));
    }
    if (IsOwnFolder(path)) {
      PENSTOCK_RETURN_IF_ERROR(FindFiles(path, prefix + name + "/", found));
      continue;
    }
    PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, files_.Stat(path));
    if (info.is_folder) continue;
    found.push_back({.name = prefix + name, .size_bytes = info.size_bytes});
  }
  return OkStatus();
}

// What a link leads to is somebody else's.
bool CheckpointFolder::IsOwnFolder(const std::string& path) {
  if (files_.ReadLink(path).ok()) return false;
  const auto info = files_.Stat(path);
  return info.ok() && info->is_folder;
}

}  // namespace penstock
