// The switch from an old dataset to a new one of the same name: a list of what
// is to be done, written before the first of it is, so that whoever comes next
// can go on with it. docs/decisions/0010-datasets-switch.md says why.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"

namespace penstock {

// Names of one dataset's files in its folder. "books-train" is its stem.
struct DatasetPlaces {
  std::string folder;
  std::string stem;

  std::string Path(std::string_view name) const;
  std::string manifest() const;  // its name, not its path
  std::string lock() const;      // these are paths
  std::string journal() const;
  // A folder in which a new dataset is written under its own names.
  std::string staging() const;

  // Whether `name` is one of its shards, "books-train.tfrecord-00000-of-00008".
  bool IsShard(std::string_view name) const;
  // The shard whose index `name` is, of any kind; empty for other names.
  std::string ShardOfIndex(std::string_view name) const;
};

// What is to be done, in this order; each step may have been done already.
struct DatasetSwitch {
  std::vector<std::string> removes;  // files of the old dataset alone
  std::vector<std::string> moves;  // from the staging folder; the manifest last
  bool tfds = false;               // then the split is described for TFDS

  // Lasts when it returns OK.
  Status Save(FileSystem& files, const DatasetPlaces& places) const;
  // Errors:  kNotFound where none is to be done; kDataLoss for a damaged list,
  //          which names the file and says what to do.
  static StatusOr<DatasetSwitch> Load(FileSystem& files,
                                      const DatasetPlaces& places);
};

// For readers: kUnavailable where the dataset of this shard is being switched,
// or a switch of it was cut off, so that old and new may lie mixed.
Status CheckNotSwitching(FileSystem& files, std::string_view shard_path);

}  // namespace penstock
