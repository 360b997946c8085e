#include "tools/datagen/dataset_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "formats/datasets/leftovers.h"
#include "formats/files/status_or.h"
#include "tools/datagen/tfds_output.h"

namespace penstock {
namespace {

// Another run holds the folder's lock while it renames its files.
constexpr auto kFolderLockWait = std::chrono::seconds(60);

Status RemoveIfThere(FileSystem& files, const std::string& path) {
  const Status status = files.Remove(path);
  return IsNotFound(status) ? OkStatus() : status;
}

// What is renamed over must be a file: a link or device of that name is
// something that this program has not made.
Status CheckReplaceable(FileSystem& files, const std::string& path) {
  const char* what = nullptr;
  const StatusOr<FileInfo> info = files.Stat(path);
  if (files.ReadLink(path).ok()) {
    what = "link";
  } else if (info.ok() && info->is_folder) {
    what = "folder";
  } else if (info.ok() && info->is_stream) {
    what = "device or pipe";
  }
  if (what == nullptr) return OkStatus();
  return InvalidArgumentError(fmt::format(
      "{}: is a {}, where a file of the dataset is to be; remove it, or choose "
      "another folder or name",
      path, what));
}

}  // namespace

DatasetOutput::DatasetOutput(FileSystem& files, DatasetPlaces places,
                             std::string name, std::string split,
                             DatasetOutputOptions options)
    : files_(files),
      places_(std::move(places)),
      name_(std::move(name)),
      split_(std::move(split)),
      options_(std::move(options)) {}

StatusOr<std::unique_ptr<DatasetOutput>> DatasetOutput::Open(
    FileSystem& files, std::string folder, std::string name, std::string split,
    DatasetOutputOptions options) {
  DatasetPlaces places = {.folder = std::move(folder),
                          .stem = fmt::format("{}-{}", name, split)};
  std::unique_ptr<DatasetOutput> output(
      new DatasetOutput(files, std::move(places), std::move(name),
                        std::move(split), std::move(options)));
  PENSTOCK_ASSIGN_OR_RETURN(
      output->lock_,
      LockFile::Acquire(files, output->places_.lock(),
                        {.what = "the dataset " + output->places_.stem,
                         .on_notice = output->options_.on_notice}));
  // What is in the staging folder counts until it is known to be nothing.
  output->decided_ = true;
  PENSTOCK_RETURN_IF_ERROR(output->Recover());
  output->decided_ = false;
  PENSTOCK_RETURN_IF_ERROR(output->CheckOld());
  PENSTOCK_RETURN_IF_ERROR(files.CreateFolders(output->places_.staging()));
  return output;
}

DatasetOutput::~DatasetOutput() {
  if (lock_ == nullptr || decided_) return;
  RemoveFolderOfFiles(files_, places_.staging()).status().IgnoreError();
}

std::string DatasetOutput::shard_base() const {
  return fmt::format("{}/{}.tfrecord", places_.staging(), places_.stem);
}

void DatasetOutput::Notice(std::string_view what) const {
  if (options_.on_notice) options_.on_notice(what);
}

Status DatasetOutput::Recover() {
  const auto plan = DatasetSwitch::Load(files_, places_);
  if (plan.ok()) {
    PENSTOCK_RETURN_IF_ERROR(Finish(*plan).status());
    Notice(fmt::format(
        "an earlier run was cut off while its {} was put in place; finished",
        places_.stem));
  } else if (!IsNotFound(plan.status())) {
    return plan.status();
  }
  PENSTOCK_ASSIGN_OR_RETURN(const uint64_t staged,
                            RemoveFolderOfFiles(files_, places_.staging()));
  PENSTOCK_ASSIGN_OR_RETURN(const uint64_t others,
                            RemoveLeftovers(files_, places_.folder));
  if (staged + others > 0) {
    Notice(fmt::format("{}: removed {} files of runs that were cut off",
                       places_.folder, staged + others));
  }
  return OkStatus();
}

// The files in the folder that have names of this dataset, but for the
// manifest. Where the manifest says which shards are the dataset's, the others
// are not.
StatusOr<std::vector<std::string>> DatasetOutput::OldFiles() const {
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                            files_.List(places_.folder));
  const auto manifest =
      Manifest::Load(files_, places_.Path(places_.manifest()));
  std::set<std::string> shards;
  if (manifest.ok()) {
    for (const ManifestShard& shard : manifest->shards) {
      shards.insert(shard.file);
    }
  }
  std::vector<std::string> old;
  for (const std::string& name : names) {
    const std::string shard =
        places_.IsShard(name) ? name : places_.ShardOfIndex(name);
    if (shard.empty()) continue;
    if (!manifest.ok() || shards.contains(shard)) old.push_back(name);
  }
  return old;
}

Status DatasetOutput::CheckOld() const {
  const std::string manifest = places_.Path(places_.manifest());
  PENSTOCK_RETURN_IF_ERROR(CheckReplaceable(files_, manifest));
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                            files_.List(places_.folder));
  for (const std::string& name : names) {
    if (!places_.IsShard(name) && places_.ShardOfIndex(name).empty()) continue;
    PENSTOCK_RETURN_IF_ERROR(CheckReplaceable(files_, places_.Path(name)));
  }
  if (options_.tfds) {
    PENSTOCK_RETURN_IF_ERROR(CheckTfds(files_, places_.folder));
  }
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> old, OldFiles());
  if (options_.overwrite) return OkStatus();
  if (files_.Stat(manifest).ok()) {
    return AlreadyExistsError(fmt::format(
        "{}: this dataset is already there; choose another --output or "
        "--name, or give --overwrite",
        manifest));
  }
  if (old.empty()) return OkStatus();
  return AlreadyExistsError(fmt::format(
      "{}: {} files of a dataset of this name are there without a manifest; "
      "choose another --output or --name, or give --overwrite",
      places_.Path(old.front()), old.size()));
}

StatusOr<DatasetSwitch> DatasetOutput::Plan(bool tfds) const {
  DatasetSwitch plan{.tfds = tfds};
  PENSTOCK_ASSIGN_OR_RETURN(plan.moves, files_.List(places_.staging()));
  std::erase(plan.moves, places_.manifest());
  PENSTOCK_ASSIGN_OR_RETURN(plan.removes, OldFiles());
  const std::set<std::string> moved(plan.moves.begin(), plan.moves.end());
  std::erase_if(plan.removes,
                [&](const std::string& name) { return moved.contains(name); });
  plan.moves.push_back(places_.manifest());
  return plan;
}

StatusOr<std::string> DatasetOutput::Commit(const Manifest& manifest,
                                            bool tfds) {
  PENSTOCK_RETURN_IF_ERROR(manifest.Save(
      files_, fmt::format("{}/{}", places_.staging(), places_.manifest())));
  PENSTOCK_ASSIGN_OR_RETURN(const DatasetSwitch plan, Plan(tfds));
  if (tfds) PENSTOCK_RETURN_IF_ERROR(CheckTfds(files_, places_.folder));
  PENSTOCK_RETURN_IF_ERROR(lock_->CheckHeld());
  decided_ = true;
  const Status saved = plan.Save(files_, places_);
  const StatusOr<std::string> no_tfds =
      saved.ok() ? Finish(plan) : StatusOr<std::string>(saved);
  // A list that was renamed but not synced is found by the next run, too.
  decided_ = saved.ok() || files_.Stat(places_.journal()).ok();
  if (no_tfds.ok() || !files_.Stat(places_.journal()).ok()) return no_tfds;
  return Annotate(no_tfds.status(),
                  fmt::format("{} is written, but not all of it is in place; "
                              "the next run of datagen with this name "
                              "finishes it",
                              places_.stem));
}

StatusOr<std::unique_ptr<LockFile>> DatasetOutput::LockFolder() const {
  return LockFile::Acquire(files_, places_.Path(".dataset_info.lock"),
                           {.what = "dataset_info.json of " + places_.folder,
                            .wait = kFolderLockWait,
                            .on_notice = options_.on_notice});
}

Status DatasetOutput::MoveIn(const std::string& name) {
  const std::string to = places_.Path(name);
  const Status moved =
      files_.Rename(fmt::format("{}/{}", places_.staging(), name), to);
  if (!IsNotFound(moved) || files_.Stat(to).ok()) {
    return IsNotFound(moved) ? OkStatus() : moved;
  }
  return DataLossError(
      fmt::format("{}: is neither there nor in {}; make the dataset again with "
                  "--overwrite, and remove {} before",
                  to, places_.staging(), places_.journal()));
}

// Every step may have been done by a run that was cut off: it is done again or
// found to be done. The manifest goes first and comes last, and so does what
// TFDS reads: who looks for either finds old files, none, or new ones.
StatusOr<std::string> DatasetOutput::Finish(const DatasetSwitch& plan) {
  const std::string manifest_path = places_.Path(places_.manifest());
  const std::string staged =
      fmt::format("{}/{}", places_.staging(), places_.manifest());
  PENSTOCK_ASSIGN_OR_RETURN(auto folder_lock, LockFolder());
  if (files_.Stat(staged).ok()) {
    PENSTOCK_RETURN_IF_ERROR(
        RemoveTfdsSplit(files_, places_.folder, name_, split_));
    PENSTOCK_RETURN_IF_ERROR(RemoveIfThere(files_, manifest_path));
    PENSTOCK_RETURN_IF_ERROR(files_.SyncFolder(places_.folder));
    for (const std::string& name : plan.removes) {
      PENSTOCK_RETURN_IF_ERROR(RemoveIfThere(files_, places_.Path(name)));
    }
    for (const std::string& name : plan.moves) {
      if (name == places_.manifest()) continue;
      PENSTOCK_RETURN_IF_ERROR(MoveIn(name));
    }
    PENSTOCK_RETURN_IF_ERROR(files_.SyncFolder(places_.folder));
  }
  PENSTOCK_RETURN_IF_ERROR(MoveIn(places_.manifest()));
  PENSTOCK_RETURN_IF_ERROR(files_.SyncFolder(places_.folder));
  std::string no_tfds;
  if (plan.tfds) {
    PENSTOCK_ASSIGN_OR_RETURN(const Manifest manifest,
                              Manifest::Load(files_, manifest_path));
    PENSTOCK_ASSIGN_OR_RETURN(
        no_tfds, AddTfdsSplit(files_, places_.folder, name_, split_, manifest));
  }
  // Before the list goes: the lock of who is killed behind it would stay.
  folder_lock.reset();
  PENSTOCK_RETURN_IF_ERROR(
      RemoveFolderOfFiles(files_, places_.staging()).status());
  PENSTOCK_RETURN_IF_ERROR(RemoveIfThere(files_, places_.journal()));
  PENSTOCK_RETURN_IF_ERROR(files_.SyncFolder(places_.folder));
  return no_tfds;
}

}  // namespace penstock
