#include "tools/datagen/tfds_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "formats/datasets/tfds_features.h"
#include "formats/datasets/tfds_folder.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

std::vector<FeatureSpec> SpecsOf(const Manifest& manifest) {
  std::vector<FeatureSpec> specs;
  for (const ManifestFeature& feature : manifest.features) {
    if (feature.encoding == FeatureEncoding::kPlain) {
      specs.push_back({.name = feature.name,
                       .type = feature.type,
                       .length = feature.length});
    } else {
      specs.push_back({.name = feature.name, .encoding = feature.encoding});
    }
  }
  return specs;
}

StatusOr<std::optional<TfdsInfo>> InfoThere(FileSystem& files,
                                            const std::string& folder) {
  StatusOr<TfdsInfo> info = TfdsInfo::Load(files, folder);
  if (IsNotFound(info.status())) return std::nullopt;
  if (!info.ok()) return info.status();
  return *std::move(info);
}

}  // namespace

StatusOr<std::string> AddTfdsSplit(FileSystem& files, const std::string& folder,
                                   const std::string& name,
                                   const std::string& split,
                                   const Manifest& manifest) {
  const std::vector<FeatureSpec> specs = SpecsOf(manifest);
  for (const FeatureSpec& spec : specs) {
    if (spec.encoding == FeatureEncoding::kUint32) {  // nor does decode_raw
      return fmt::format("TFDS reads no uint32, as feature {} is written",
                         spec.name);
    }
  }
  PENSTOCK_ASSIGN_OR_RETURN(std::optional<TfdsInfo> info,
                            InfoThere(files, folder));
  if (info && info->name != name) {
    return fmt::format("the folder's dataset_info.json is of dataset {}",
                       info->name);
  }
  if (info && !info->splits.empty()) {
    const StatusOr<std::string> there =
        ReadWholeFile(files, folder + "/features.json", 64 << 20);
    if (IsNotFound(there.status())) {
      return "the folder's other splits have no features.json";
    }
    PENSTOCK_RETURN_IF_ERROR(there.status());
    if (*there != WriteTfdsFeatures(specs)) {
      return "the folder's features.json is of other features";
    }
  }
  if (!info) info = TfdsInfo{.name = name};
  std::erase_if(info->splits,
                [&](const TfdsSplit& one) { return one.name == split; });
  TfdsSplit added{.name = split};
  for (const ManifestShard& shard : manifest.shards) {
    added.size_bytes += shard.size_bytes;
    added.shard_records.push_back(shard.records);
    added.shards.push_back(shard.file);
  }
  info->splits.push_back(std::move(added));
  const Status named = CheckTfdsNames(*info);
  if (!named.ok()) return std::string(named.message());
  PENSTOCK_RETURN_IF_ERROR(SaveTfds(files, folder, *info, specs));
  return "";
}

Status CheckTfds(FileSystem& files, const std::string& folder) {
  return InfoThere(files, folder).status();
}

Status RemoveTfdsSplit(FileSystem& files, const std::string& folder,
                       const std::string& name, const std::string& split) {
  StatusOr<std::optional<TfdsInfo>> there = InfoThere(files, folder);
  // What cannot be read names no split to anybody, and files of another format
  // are no split of ours.
  if (IsDataLoss(there.status()) ||
      there.status().code() == StatusCode::kUnimplemented) {
    return OkStatus();
  }
  PENSTOCK_ASSIGN_OR_RETURN(const std::optional<TfdsInfo> info,
                            std::move(there));
  if (!info || info->name != name || info->Find(split) == nullptr) {
    return OkStatus();
  }
  if (std::ranges::all_of(info->splits, [&](const TfdsSplit& one) {
        return one.name == split;
      })) {
    // In this order, so that a run that goes on finds what is left to do.
    const Status removed = files.Remove(folder + "/features.json");
    if (!removed.ok() && !IsNotFound(removed)) return removed;
    return files.Remove(folder + "/dataset_info.json");
  }
  return DropTfdsSplit(files, folder, split);
}

}  // namespace penstock
