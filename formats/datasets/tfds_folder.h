// A folder that TensorFlow Datasets reads and writes: dataset_info.json,
// features.json and shards "name-split.tfrecord-00000-of-00008".
// docs/formats/tfds.md has the layout.
//
// Source:  tensorflow_datasets/core/{read_only_builder,naming}.py and
//          core/proto/dataset_info.proto.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/example/feature_spec.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"

namespace penstock {

struct TfdsSplit {
  std::string name;
  uint64_t size_bytes = 0;
  std::vector<uint64_t> shard_records;
  std::vector<std::string> shards;  // names in the folder, one a shard
};

// What dataset_info.json says.
struct TfdsInfo {
  std::string name;
  std::string version = "1.0.0";
  std::string description;
  std::vector<TfdsSplit> splits;

  // Null where there is none.
  const TfdsSplit* Find(std::string_view split) const;

  // Errors:  kNotFound without a dataset_info.json; kDataLoss naming the file
  //          and the place at fault; kUnimplemented for shards that are no
  //          TFRecord files.
  static StatusOr<TfdsInfo> Load(FileSystem& files, const std::string& folder);
};

// Errors:  as TfdsInfo::Load(), and those of ReadTfdsFeatures().
StatusOr<std::vector<FeatureSpec>> LoadTfdsFeatures(FileSystem& files,
                                                    const std::string& folder);

// Errors:  kInvalidArgument for names that TFDS does not take.
Status CheckTfdsNames(const TfdsInfo& info);

// Writes features.json and, last, dataset_info.json. The shards must have the
// names that TFDS gives them: TfdsShardBase() with ShardName().
// Errors:  those of CheckTfdsNames() and AtomicFile.
Status SaveTfds(FileSystem& files, const std::string& folder,
                const TfdsInfo& info, std::span<const FeatureSpec> features);

// Takes the split out of dataset_info.json. What else that says stays, of
// others' files what is not known here too, and so does features.json.
// Errors:  as TfdsInfo::Load(), and those of AtomicFile.
Status DropTfdsSplit(FileSystem& files, const std::string& folder,
                     std::string_view split);

// "name-split.tfrecord".
std::string TfdsShardBase(std::string_view name, std::string_view split);

// The paths of a split's shards. Without a split the folder must have just one.
// Errors:  as TfdsInfo::Load(); kInvalidArgument listing the splits there are.
StatusOr<std::vector<std::string>> TfdsShardPaths(FileSystem& files,
                                                  const std::string& folder,
                                                  std::string_view split);

}  // namespace penstock
