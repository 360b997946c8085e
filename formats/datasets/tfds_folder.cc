#include "formats/datasets/tfds_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "formats/corpora/json_keys.h"
#include "formats/datasets/shard_names.h"
#include "formats/datasets/tfds_features.h"
#include "formats/files/atomic_file.h"
#include "formats/files/quoted.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kInfoFile[] = "dataset_info.json";
constexpr char kFeaturesFile[] = "features.json";
constexpr char kTemplate[] = "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}";
constexpr uint64_t kTfdsFileLimitBytes = 64 << 20;
constexpr std::string_view kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kWord =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

std::string Path(std::string folder, const char* name) {
  if (!folder.ends_with('/')) folder += '/';
  return folder + name;
}

// Protobuf's JSON has 64-bit numbers as strings; one that is 0 is left out.
uint64_t Number(JsonKeys& keys, const char* key) {
  if (!keys.Has(key)) return 0;
  const std::string text = keys.Text(key);
  uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    keys.Refuse(key, "is no whole number from 0 up");
  }
  return number;
}

std::string Replace(std::string text, std::string_view what,
                    std::string_view with) {
  for (size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

std::string ShardOf(const std::string& form, const TfdsInfo& info,
                    const TfdsSplit& split, uint32_t shard) {
  const auto shards = static_cast<uint32_t>(split.shard_records.size());
  std::string name = Replace(form, "{DATASET}", info.name);
  name = Replace(name, "{SPLIT}", split.name);
  name = Replace(name, "{FILEFORMAT}", "tfrecord");
  name = Replace(name, "{SHARD_INDEX}", fmt::format("{:05}", shard));
  name = Replace(name, "{NUM_SHARDS}", fmt::format("{:05}", shards));
  return Replace(name, "{SHARD_X_OF_Y}",
                 fmt::format("{:05}-of-{:05}", shard, shards));
}

TfdsSplit ReadSplit(JsonKeys keys, const nlohmann::json& json,
                    const TfdsInfo& info) {
  TfdsSplit split{.name = keys.Text("name"),
                  .size_bytes = Number(keys, "numBytes")};
  const nlohmann::json lengths =
      json.is_object() ? json.value("shardLengths", nlohmann::json::array())
                       : nlohmann::json::array();
  for (const nlohmann::json& length : lengths) {
    Status ignored;
    const nlohmann::json one = {{"n", length}};
    JsonKeys number(one, "", ignored);
    split.shard_records.push_back(Number(number, "n"));
    if (!ignored.ok()) keys.Refuse("shardLengths", "are no whole numbers");
  }
  const std::string form =
      keys.Has("filepathTemplate") ? keys.Text("filepathTemplate") : kTemplate;
  for (uint32_t i = 0; i < split.shard_records.size(); ++i) {
    split.shards.push_back(ShardOf(form, info, split, i));
  }
  // A description must never lead out of its folder.
  if (!split.shards.empty() &&
      split.shards[0].find_first_of("/{}") != std::string::npos) {
    keys.Refuse("filepathTemplate", "gives no plain file names");
  }
  return split;
}

StatusOr<TfdsInfo> InfoFromText(const std::string& text) {
  PENSTOCK_ASSIGN_OR_RETURN(const nlohmann::json json, ParseJson(text));
  Status defect;
  JsonKeys keys(json, "", defect);
  TfdsInfo info;
  info.name = keys.Text("name");
  if (keys.Has("version")) info.version = keys.Text("version");
  if (keys.Has("description")) info.description = keys.Text("description");
  const std::string format =
      keys.Has("fileFormat") ? keys.Text("fileFormat") : "tfrecord";
  if (defect.ok() && format != "tfrecord") {
    return UnimplementedError(
        fmt::format("the shards are {} files; only tfrecord is read", format));
  }
  if (keys.Has("splits")) {
    size_t i = 0;
    keys.Each("splits", [&](JsonKeys split) {
      info.splits.push_back(ReadSplit(split, json["splits"][i++], info));
    });
  }
  if (!defect.ok()) return defect;
  return info;
}

std::string InfoText(const TfdsInfo& info) {
  Json json = {{"description", info.description},
               {"fileFormat", "tfrecord"},
               {"moduleName", "penstock"},
               {"name", info.name},
               {"releaseNotes", {{info.version, "Written by Penstock."}}},
               {"splits", Json::array()},
               {"version", info.version}};
  for (const TfdsSplit& split : info.splits) {
    Json lengths = Json::array();
    for (const uint64_t records : split.shard_records) {
      lengths.push_back(std::to_string(records));
    }
    json["splits"].push_back({{"filepathTemplate", kTemplate},
                              {"name", split.name},
                              {"numBytes", std::to_string(split.size_bytes)},
                              {"shardLengths", std::move(lengths)}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool IsDatasetName(std::string_view name) {
  return !name.empty() && kLetters.find(name[0]) != std::string_view::npos &&
         name.find_first_not_of(kWord) == std::string_view::npos;
}
bool IsSplitName(std::string_view name) {
  return !name.empty() && name.find_first_not_of(std::string(kWord) + "-") ==
                              std::string_view::npos;
}

}  // namespace

const TfdsSplit* TfdsInfo::Find(std::string_view split) const {
  const auto found = std::ranges::find(splits, split, &TfdsSplit::name);
  return found == splits.end() ? nullptr : &*found;
}

StatusOr<TfdsInfo> TfdsInfo::Load(FileSystem& files,
                                  const std::string& folder) {
  const std::string path = Path(folder, kInfoFile);
  PENSTOCK_ASSIGN_OR_RETURN(const std::string text,
                            ReadWholeFile(files, path, kTfdsFileLimitBytes));
  auto info = InfoFromText(text);
  if (!info.ok()) return Annotate(info.status(), path);
  return info;
}

StatusOr<std::vector<FeatureSpec>> LoadTfdsFeatures(FileSystem& files,
                                                    const std::string& folder) {
  const std::string path = Path(folder, kFeaturesFile);
  PENSTOCK_ASSIGN_OR_RETURN(const std::string text,
                            ReadWholeFile(files, path, kTfdsFileLimitBytes));
  auto features = ReadTfdsFeatures(text);
  if (!features.ok()) return Annotate(features.status(), path);
  return features;
}

Status CheckTfdsNames(const TfdsInfo& info) {
  if (!IsDatasetName(info.name)) {
    return InvalidArgumentError(
        fmt::format("{}: TFDS wants a letter, then letters, digits and '_'",
                    Quoted(info.name)));
  }
  for (const TfdsSplit& split : info.splits) {
    if (IsSplitName(split.name)) continue;
    return InvalidArgumentError(
        fmt::format("{}: TFDS wants splits of letters, digits, '_' and '-'",
                    Quoted(split.name)));
  }
  return OkStatus();
}

Status SaveTfds(FileSystem& files, const std::string& folder,
                const TfdsInfo& info, std::span<const FeatureSpec> features) {
  PENSTOCK_RETURN_IF_ERROR(CheckTfdsNames(info));
  PENSTOCK_RETURN_IF_ERROR(WriteFileAtomically(
      files, Path(folder, kFeaturesFile), WriteTfdsFeatures(features)));
  return WriteFileAtomically(files, Path(folder, kInfoFile), InfoText(info));
}

Status DropTfdsSplit(FileSystem& files, const std::string& folder,
                     std::string_view split) {
  PENSTOCK_RETURN_IF_ERROR(TfdsInfo::Load(files, folder).status());
  const std::string path = Path(folder, kInfoFile);
  PENSTOCK_ASSIGN_OR_RETURN(const std::string text,
                            ReadWholeFile(files, path, kTfdsFileLimitBytes));
  PENSTOCK_ASSIGN_OR_RETURN(nlohmann::json json, ParseJson(text));
  nlohmann::json kept = nlohmann::json::array();
  for (const nlohmann::json& one : json["splits"]) {
    if (one["name"] != split) kept.push_back(one);
  }
  json["splits"] = std::move(kept);
  return WriteFileAtomically(
      files, path,
      json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
          "\n");
}

std::string TfdsShardBase(std::string_view name, std::string_view split) {
  return fmt::format("{}-{}.tfrecord", name, split);
}

StatusOr<std::vector<std::string>> TfdsShardPaths(FileSystem& files,
                                                  const std::string& folder,
                                                  std::string_view split) {
  PENSTOCK_ASSIGN_OR_RETURN(const TfdsInfo info, TfdsInfo::Load(files, folder));
  const bool only = split.empty() && info.splits.size() == 1;
  const TfdsSplit* found = only ? &info.splits[0] : info.Find(split);
  if (found == nullptr) {
    std::vector<std::string> names;
    for (const TfdsSplit& one : info.splits) names.push_back(one.name);
    return InvalidArgumentError(fmt::format(
        "{}: a TFDS dataset with the splits {}; say which as {}@SPLIT", folder,
        fmt::join(names, ", "), folder));
  }
  std::vector<std::string> paths;
  for (const std::string& shard : found->shards) {
    paths.push_back(Path(folder, shard.c_str()));
  }
  return paths;
}

}  // namespace penstock
