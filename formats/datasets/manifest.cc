#include "formats/datasets/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "formats/corpora/json_keys.h"
#include "formats/datasets/dataset_switch.h"
#include "formats/files/atomic_file.h"
#include "formats/files/crc32c.h"
#include "formats/files/quoted.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kLayout = 1;
constexpr uint64_t kManifestLimitBytes = 256 << 20;

constexpr FeatureType kTypes[] = {FeatureType::kBytes, FeatureType::kFloat,
                                  FeatureType::kInt64};
constexpr FeatureEncoding kEncodings[] = {FeatureEncoding::kPlain,
                                          FeatureEncoding::kUint16,
                                          FeatureEncoding::kUint32};
constexpr DatasetKind kKinds[] = {DatasetKind::kRaw, DatasetKind::kTokenized};

std::string_view KindName(DatasetKind kind) {
  return kind == DatasetKind::kRaw ? "raw" : "tokenized";
}

// The value among `all` whose name is under `key`.
template <typename T, size_t n>
T Named(JsonKeys& keys, const char* key, const T (&all)[n],
        std::string_view (*name_of)(T)) {
  const std::string name = keys.Text(key);
  std::string list;
  for (const T value : all) {
    if (name_of(value) == name) return value;
    list += (list.empty() ? "" : ", ") + std::string(name_of(value));
  }
  keys.Refuse(key, "is none of " + list);
  return all[0];
}

// Of the file without its "checksum": compact, with sorted keys.
uint32_t ChecksumOf(nlohmann::json json) {
  json.erase("checksum");
  return Crc32c(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json ToJson(const ManifestShard& shard) {
  Json json = {{"file", shard.file},
               {"records", shard.records},
               {"size_bytes", shard.size_bytes},
               {"crc32c", fmt::format("{:08x}", shard.crc32c)}};
  if (shard.sample) json["sample"] = fmt::format("{:08x}", *shard.sample);
  if (shard.records_crc32c) {
    json["records_crc32c"] = fmt::format("{:08x}", *shard.records_crc32c);
  }
  return json;
}

Json ToJson(const Manifest& manifest) {
  Json json = {{"penstock_manifest", kLayout},
               {"tool_version", manifest.tool_version},
               {"dataset", manifest.dataset},
               {"kind", KindName(manifest.kind)},
               {"records", manifest.records()}};
  if (manifest.tokenizer) {
    json["tokenizer"] = {
        {"description", manifest.tokenizer->description},
        {"fingerprint",
         fmt::format("{:016x}", manifest.tokenizer->fingerprint)}};
  }
  if (manifest.skipped.places > 0) {
    json["skipped"] = {{"places", manifest.skipped.places},
                       {"bytes", manifest.skipped.bytes}};
    for (const std::string& why : manifest.skipped.first) {
      json["skipped"]["first"].push_back({{"why", why}});
    }
  }
  json["features"] = Json::array();
  for (const ManifestFeature& feature : manifest.features) {
    Json one = {{"name", feature.name},
                {"type", FeatureTypeName(feature.type)}};
    if (feature.length != ManifestFeature::kAnyLength) {
      one["length"] = feature.length;
    }
    if (feature.encoding != FeatureEncoding::kPlain) {
      one["encoding"] = FeatureEncodingName(feature.encoding);
    }
    json["features"].push_back(std::move(one));
  }
  json["shards"] = Json::array();
  for (const ManifestShard& shard : manifest.shards) {
    json["shards"].push_back(ToJson(shard));
  }
  json["checksum"] = fmt::format("{:08x}", ChecksumOf(nlohmann::json(json)));
  return json;
}

ManifestFeature ReadFeature(JsonKeys keys) {
  ManifestFeature feature{.name = keys.Text("name"),
                          .type = Named(keys, "type", kTypes, FeatureTypeName)};
  if (keys.Has("length")) {
    const uint64_t length = keys.Count("length");
    if (length > INT64_MAX) keys.Refuse("length", "is too large");
    feature.length = static_cast<int64_t>(length);
  }
  if (keys.Has("encoding")) {
    feature.encoding = Named(keys, "encoding", kEncodings, FeatureEncodingName);
    if (feature.encoding != FeatureEncoding::kPlain &&
        feature.type != FeatureType::kBytes) {
      keys.Refuse("encoding", "is for bytes alone");
    }
  }
  return feature;
}

ManifestShard ReadShard(JsonKeys keys) {
  ManifestShard shard{.file = keys.Text("file"),
                      .records = keys.Count("records"),
                      .size_bytes = keys.Count("size_bytes")};
  shard.crc32c = static_cast<uint32_t>(keys.Hex("crc32c", 8));
  if (keys.Has("sample")) {
    shard.sample = static_cast<uint32_t>(keys.Hex("sample", 8));
  }
  if (keys.Has("records_crc32c")) {
    shard.records_crc32c = static_cast<uint32_t>(keys.Hex("records_crc32c", 8));
  }
  // A manifest must never lead out of its folder.
  if (shard.file.empty() || shard.file == "." || shard.file == ".." ||
      shard.file.find_first_of(std::string_view("/\0", 2)) !=
          std::string::npos) {
    keys.Refuse("file", "is no file name without a folder");
  }
  return shard;
}

// Only manifests from before there were checksums may have none.
void CheckWhole(const nlohmann::json& json, const Manifest& manifest,
                JsonKeys& keys) {
  const bool older =
      std::ranges::all_of(manifest.shards, [](const ManifestShard& shard) {
        return !shard.sample && !shard.records_crc32c;
      });
  if (older && !keys.Has("checksum")) return;
  const uint64_t stored = keys.Hex("checksum", 8);
  const uint32_t computed = ChecksumOf(json);
  if (stored == computed) return;
  keys.Refuse("checksum",
              fmt::format("is {:08x}, but {:08x} by what the file says: it was "
                          "edited or damaged; copy it again, or make the "
                          "dataset anew with datagen --overwrite",
                          stored, computed));
}

StatusOr<Manifest> FromJson(const nlohmann::json& json) {
  Status defect;
  JsonKeys keys(json, "", defect);
  const uint64_t layout = keys.Count("penstock_manifest");
  if (defect.ok() && layout != kLayout) {
    return UnimplementedError(fmt::format(
        "layout {} of the manifest is not known to this version, which knows "
        "{}",
        layout, kLayout));
  }
  Manifest manifest;
  manifest.tool_version = keys.Text("tool_version");
  manifest.dataset = keys.Text("dataset");
  manifest.kind = Named(keys, "kind", kKinds, KindName);
  if (keys.Has("tokenizer")) {
    JsonKeys tokenizer = keys.Object("tokenizer");
    manifest.tokenizer =
        ManifestTokenizer{.description = tokenizer.Text("description"),
                          .fingerprint = tokenizer.Hex("fingerprint", 16)};
  }
  std::set<std::string> names;
  if (keys.Has("skipped")) {
    JsonKeys skipped = keys.Object("skipped");
    manifest.skipped = {.places = skipped.Count("places"),
                        .bytes = skipped.Count("bytes")};
    if (skipped.Has("first")) {
      skipped.Each("first", [&](JsonKeys one) {
        manifest.skipped.first.push_back(one.Text("why"));
      });
    }
  }
  keys.Each("features", [&](JsonKeys one) {
    manifest.features.push_back(ReadFeature(one));
    if (!names.insert(manifest.features.back().name).second) {
      one.Refuse("name", "comes twice");
    }
  });
  std::set<std::string> files;
  keys.Each("shards", [&](JsonKeys one) {
    manifest.shards.push_back(ReadShard(one));
    if (!files.insert(manifest.shards.back().file).second) {
      one.Refuse("file", "comes twice");
    }
  });
  if (keys.Count("records") != manifest.records()) {
    keys.Refuse("records", "is not the sum of the shards' records");
  }
  if (defect.ok()) CheckWhole(json, manifest, keys);
  if (!defect.ok()) return defect;
  return manifest;
}

// Both ways meet here, so what is saved can be loaded.
StatusOr<Manifest> FromText(const std::string& text) {
  PENSTOCK_ASSIGN_OR_RETURN(const nlohmann::json json, ParseJson(text));
  return FromJson(json);
}

}  // namespace

uint64_t Manifest::records() const {
  uint64_t sum = 0;
  for (const ManifestShard& shard : shards) sum += shard.records;
  return sum;
}

Status Manifest::Save(FileSystem& files, const std::string& path) const {
  // Bytes that are not UTF-8 come out as U+FFFD; then the check below fails.
  const std::string text =
      ToJson(*this).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  const auto loaded = FromText(text);
  Status status = loaded.status();
  if (loaded.ok() && ToJson(*loaded) != ToJson(*this)) {
    status = DataLossError("a name is not UTF-8 or a length negative");
  }
  if (!status.ok()) {
    return InvalidArgumentError(
        fmt::format("{}: {}", path, std::string(status.message())));
  }
  return WriteFileAtomically(files, path, text);
}

StatusOr<Manifest> Manifest::Load(FileSystem& files, const std::string& path) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::string text,
                            ReadWholeFile(files, path, kManifestLimitBytes));
  auto manifest = FromText(text);
  if (!manifest.ok()) return Annotate(manifest.status(), path);
  return manifest;
}

const ManifestFeature* Manifest::Find(std::string_view feature) const {
  const auto found =
      std::ranges::find(features, feature, &ManifestFeature::name);
  return found == features.end() ? nullptr : &*found;
}

std::string ManifestPathOf(std::string_view shard_path) {
  const size_t end = shard_path.rfind(".tfrecord");
  const size_t name = shard_path.rfind('/') + 1;  // npos + 1 == 0
  if (end == std::string_view::npos || end < name) return "";
  return fmt::format("{}.manifest.json", shard_path.substr(0, end));
}

StatusOr<std::optional<Manifest>> LoadManifestBeside(
    FileSystem& files, const std::string& shard_path) {
  const std::string path = ManifestPathOf(shard_path);
  if (path.empty()) return std::nullopt;
  PENSTOCK_RETURN_IF_ERROR(CheckNotSwitching(files, shard_path));
  const StatusOr<FileInfo> info = files.Stat(path);
  if (IsNotFound(info.status())) return std::nullopt;
  PENSTOCK_ASSIGN_OR_RETURN(Manifest manifest, Manifest::Load(files, path));
  return manifest;
}

}  // namespace penstock
