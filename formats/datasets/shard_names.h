// Names of the files that make up one dataset.
//
// Source:  the "base-SSSSS-of-NNNNN" template of TensorFlow Datasets and Beam.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"

namespace penstock {

// "base-00003-of-00016" for (base, 3, 16); at least five digits.
std::string ShardName(std::string_view base, uint32_t shard, uint32_t shards);

// "a-00000-of-00004" and "a-00000-of-00008" are shards of two generations of
// one dataset: both together are mostly a mistake.
enum class Generations { kOne, kAny };

struct ExpandOptions {
  Generations generations = Generations::kOne;  // that one glob may take
};

// The files that `pattern` names, in the order that numbers their records:
//   "a.tfrecord"    that file
//   "base@16"       all sixteen shards, each of which must exist
//   "base@4.x"      "base-00000-of-00004.x" and so on
//   "dir/*.tfrecord" every match of * and ? (glob.h), sorted bytewise
//   "dir/**/*.txt"   the same in all folders below, that one too
//   "data/c4@train" the shards of a split of a folder with the
//                   dataset_info.json of TensorFlow Datasets; "data/c4" alone
//                   where it has one split
//   "a,b@2"         several patterns, in the order given
// A glob takes no folders, no hidden files and no ".index" sidecars unless it
// starts with "." or ends with ".index" itself.
// Errors:  kNotFound naming the first missing file or the pattern without a
//          match; kInvalidArgument for a folder, a bad pattern, or a glob that
//          takes more generations than it may; a glob for each of them, as in
//          "a-*-of-00004,a-*-of-00008", always may;
//          kUnavailable for shards that are just being replaced.
StatusOr<std::vector<std::string>> ExpandPattern(FileSystem& files,
                                                 std::string_view pattern,
                                                 ExpandOptions options = {});

// "a.tfrecord" and 8 of "dir/a.tfrecord-00003-of-00008"; nothing for a path
// that does not end so.
struct ShardOf {
  std::string_view base;
  uint32_t shards = 0;
};
std::optional<ShardOf> ParseShardName(std::string_view path);

// Whether `pattern`, a glob, takes a file of this path where there is one;
// false for a pattern that is no glob.
bool GlobTakes(std::string_view pattern, std::string_view path);

}  // namespace penstock
