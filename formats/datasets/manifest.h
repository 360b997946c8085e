// What a generated dataset is made of: the file that is written last, so that
// a dataset with a manifest is whole. docs/formats/manifest.md has the layout.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/example/examples.h"
#include "formats/example/feature_spec.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"

namespace penstock {

enum class DatasetKind {
  kRaw,        // text as it was
  kTokenized,  // token ids
};

struct ManifestTokenizer {
  std::string description;
  uint64_t fingerprint = 0;
};

struct ManifestFeature {
  std::string name;
  FeatureType type = FeatureType::kBytes;  // in the records
  int64_t length = kAnyLength;
  // Other than kPlain: each row has one bytes value, an array of such numbers.
  FeatureEncoding encoding = FeatureEncoding::kPlain;

  static constexpr int64_t kAnyLength = -1;
};

struct ManifestShard {
  std::string file;  // its name beside the manifest, without a folder
  uint64_t records = 0;
  uint64_t size_bytes = 0;  // of the file
  uint32_t crc32c = 0;      // of the file's bytes, not masked
  // SampleFile(), by which another file is told at little cost, and a
  // RecordChain of all records. Older manifests have neither.
  std::optional<uint32_t> sample = {};
  std::optional<uint32_t> records_crc32c = {};
};

// Damage in the corpus that was left out because the user allowed it.
struct ManifestSkipped {
  uint64_t places = 0;
  uint64_t bytes = 0;                   // of those places whose size is known
  std::vector<std::string> first = {};  // the first of them, and why
};

struct Manifest {
  std::string tool_version;
  std::string dataset;
  DatasetKind kind = DatasetKind::kRaw;
  std::optional<ManifestTokenizer> tokenizer;
  std::vector<ManifestFeature> features;
  std::vector<ManifestShard> shards;
  ManifestSkipped skipped;

  uint64_t records() const;

  // Writes JSON at `path`, atomically and with the same bytes for the same
  // manifest.
  // Errors:  kInvalidArgument for what Load() would refuse; those of
  //          AtomicFile.
  Status Save(FileSystem& files, const std::string& path) const;

  // Errors:  kNotFound; kDataLoss naming the file and the key at fault, also
  //          where the file was edited: it holds a checksum of the rest, which
  //          only older manifests may lack;
  //          kUnimplemented for a layout of a later version.
  static StatusOr<Manifest> Load(FileSystem& files, const std::string& path);

  // Null where there is none.
  const ManifestFeature* Find(std::string_view feature) const;
};

// The manifest that datagen writes beside "out/name-train.tfrecord-00000-of-8":
// "out/name-train.manifest.json". Empty for a file of another name.
std::string ManifestPathOf(std::string_view shard_path);

// That manifest; none where there is no such file. Errors:  as Load();
// kUnavailable where the dataset is just being replaced.
StatusOr<std::optional<Manifest>> LoadManifestBeside(
    FileSystem& files, const std::string& shard_path);

}  // namespace penstock
