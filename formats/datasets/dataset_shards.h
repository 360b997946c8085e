// The files of a dataset held against the manifests beside them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/datasets/manifest.h"
#include "formats/datasets/shard_names.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"

namespace penstock {

// What is known of a file without reading its records.
struct ShardFacts {
  uint64_t size_bytes = 0;
  uint32_t sample = 0;              // SampleFile() of it
  std::optional<uint64_t> records;  // as its index says; none without one
};

// A manifest is written for its shards as they were: sizes, samples and numbers
// of records that differ tell of files that were swapped, doubled, cut or
// emptied before anything is read. What keeps all of these is found by reading
// everything, which `recordtool verify` does.
//
// Threads: any number at a time.
class DatasetShards {
 public:
  // ExpandPattern(), then loads the manifest beside each file, where there is
  // one.
  // Errors:  those of ExpandPattern() and Manifest::Load(); kDataLoss where a
  //          manifest lists a shard that the pattern should have found, or
  //          where one named like a shard, or found beside others, is in no
  //          list.
  static StatusOr<DatasetShards> Find(FileSystem& files,
                                      std::string_view pattern,
                                      ExpandOptions options = {});

  const std::vector<std::string>& paths() const { return paths_; }
  // What the manifest says of paths()[i]; null where none speaks of it. Lives
  // as long as this.
  const ManifestShard* Listed(size_t i) const;

  // OK where no manifest speaks of paths()[i], too.
  // Errors:  kDataLoss naming both files, both figures and what to do.
  Status Check(size_t i, const ShardFacts& facts) const;
  // Check() of all files, of what is on the disk.
  // Errors:  those of Check(), SampleFile() and RecordIndex::Load().
  // Cost:    up to 16 reads of 4 KiB a file.
  Status CheckAll(FileSystem& files) const;
  // "PATH: WHAT by its manifest MANIFEST; ...", kDataLoss.
  Status Differs(size_t i, std::string_view what) const;

 private:
  struct Listing {
    std::string path;  // of the manifest
    Manifest manifest;
  };
  static constexpr size_t kNone = static_cast<size_t>(-1);
  struct Place {
    size_t listing = kNone;
    size_t shard = kNone;  // in it
  };

  Status Load(FileSystem& files);
  Status CheckListed() const;
  Status CheckPresent(std::string_view part) const;

  std::vector<std::string> paths_;
  std::vector<Listing> listings_;
  std::vector<Place> places_;  // of each path
};

}  // namespace penstock
