// Where datagen writes: a dataset that is old or new at every instant.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/datasets/dataset_switch.h"
#include "formats/datasets/lock_file.h"
#include "formats/datasets/manifest.h"
#include "formats/files/callback.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"

namespace penstock {

struct DatasetOutputOptions {
  bool overwrite = false;  // a dataset of that name may be there
  // It is to be described for TensorFlow Datasets, so a description that is
  // there must be sound; told before the work.
  bool tfds = true;
  // Told what was found of runs that were cut off, and what was done about it.
  Callback<void(std::string_view)> on_notice = nullptr;
};

// Holds the lock of the dataset. New files are written into a folder of their
// own; Commit() puts them in place of the old ones. Destruction without
// Commit() leaves what was there before.
//
// Threads: one at a time.
class DatasetOutput {
 public:
  // Also finishes or clears what runs of this name have left that were cut
  // off. `folder` must be there.
  // Errors:  as LockFile::Acquire(); kAlreadyExists where the dataset is there
  //          and is not to be overwritten; kInvalidArgument where a folder,
  //          link or device has a name of its files.
  static StatusOr<std::unique_ptr<DatasetOutput>> Open(
      FileSystem& files, std::string folder, std::string name,
      std::string split, DatasetOutputOptions options);
  ~DatasetOutput();
  DatasetOutput(const DatasetOutput&) = delete;
  DatasetOutput& operator=(const DatasetOutput&) = delete;

  // The path without "-00000-of-00008" that its shards are to be written at.
  std::string shard_base() const;

  // The dataset's shards and indexes are whole in their folder; the manifest
  // is written and all are switched. With `tfds` the split is described for
  // TensorFlow Datasets; returns why not, or nothing.
  // Errors:  one that comes before all is decided leaves the old dataset, a
  //          later one says that the next run of this name finishes.
  StatusOr<std::string> Commit(const Manifest& manifest, bool tfds);

 private:
  DatasetOutput(FileSystem& files, DatasetPlaces places, std::string name,
                std::string split, DatasetOutputOptions options);

  Status Recover();
  Status CheckOld() const;
  StatusOr<std::vector<std::string>> OldFiles() const;
  StatusOr<DatasetSwitch> Plan(bool tfds) const;
  StatusOr<std::string> Finish(const DatasetSwitch& plan);
  Status MoveIn(const std::string& name);
  StatusOr<std::unique_ptr<LockFile>> LockFolder() const;
  void Notice(std::string_view what) const;

  FileSystem& files_;
  const DatasetPlaces places_;
  const std::string name_;
  const std::string split_;
  const DatasetOutputOptions options_;
  std::unique_ptr<LockFile> lock_;
  bool decided_ = false;  // what is in the staging folder is the dataset
};

}  // namespace penstock
