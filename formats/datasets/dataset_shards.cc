#include "formats/datasets/dataset_shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "formats/datasets/shard_names.h"
#include "formats/files/file_sample.h"
#include "formats/files/status_or.h"
#include "formats/index/record_index.h"

namespace penstock {
namespace {

constexpr char kAdvice[] =
    "copy the dataset again, or make it anew; where the change is meant, "
    "remove the manifest";

std::string_view NameOf(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 == 0
}

// The folder of `path`, with its slash.
std::string_view PrefixOf(std::string_view path) {
  return path.substr(0, path.rfind('/') + 1);
}

// Whether `path` is a shard of `base`@N, or a file in the folder `base`.
bool IsOf(std::string_view path, std::string_view base) {
  if (!path.starts_with(base) || path.size() == base.size()) return false;
  const std::string_view rest = path.substr(base.size());
  const bool begins = rest[0] == '-' || rest[0] == '/' || base.ends_with('/');
  return begins && rest.find('/', 1) == std::string_view::npos;
}

}  // namespace

StatusOr<DatasetShards> DatasetShards::Find(FileSystem& files,
                                            std::string_view pattern,
                                            ExpandOptions options) {
  DatasetShards shards;
  PENSTOCK_ASSIGN_OR_RETURN(shards.paths_,
                            ExpandPattern(files, pattern, options));
  PENSTOCK_RETURN_IF_ERROR(shards.Load(files));
  PENSTOCK_RETURN_IF_ERROR(shards.CheckListed());
  for (size_t begin = 0; begin <= pattern.size();) {
    const size_t end = std::min(pattern.find(',', begin), pattern.size());
    PENSTOCK_RETURN_IF_ERROR(
        shards.CheckPresent(pattern.substr(begin, end - begin)));
    begin = end + 1;
  }
  return shards;
}

Status DatasetShards::Load(FileSystem& files) {
  std::map<std::string, size_t> known;  // manifests, also those not there
  std::vector<std::map<std::string_view, size_t>> shards;
  for (const std::string& path : paths_) {
    Place& place = places_.emplace_back();
    const std::string name = ManifestPathOf(path);
    if (name.empty()) continue;
    const auto [at, is_new] = known.emplace(name, kNone);
    if (is_new) {
      PENSTOCK_ASSIGN_OR_RETURN(std::optional<Manifest> manifest,
                                LoadManifestBeside(files, path));
      if (manifest) {
        at->second = listings_.size();
        listings_.push_back({name, *std::move(manifest)});
      }
    }
    place.listing = at->second;
  }
  for (const Listing& listing : listings_) {
    std::map<std::string_view, size_t>& of = shards.emplace_back();
    for (size_t s = 0; s < listing.manifest.shards.size(); ++s) {
      of[listing.manifest.shards[s].file] = s;
    }
  }
  for (size_t i = 0; i < paths_.size(); ++i) {
    if (places_[i].listing == kNone) continue;
    const auto& of = shards[places_[i].listing];
    const auto found = of.find(NameOf(paths_[i]));
    if (found != of.end()) places_[i].shard = found->second;
  }
  return OkStatus();
}

// A file beside listed ones, or that is named as one, would add records to the
// dataset, or is of another one. Others only have a name that begins so.
Status DatasetShards::CheckListed() const {
  std::set<size_t> read;  // listings with a shard among the paths
  for (const Place& place : places_) {
    if (place.shard != kNone) read.insert(place.listing);
  }
  for (size_t i = 0; i < paths_.size(); ++i) {
    const Place& place = places_[i];
    if (place.listing == kNone || place.shard != kNone) continue;
    if (!read.contains(place.listing) && !ParseShardName(paths_[i])) {
      continue;
    }
    const Listing& listing = listings_[place.listing];
    return DataLossError(fmt::format(
        "{}: is none of the {} shards that its manifest {} lists; {}",
        paths_[i], listing.manifest.shards.size(), listing.path, kAdvice));
  }
  return OkStatus();
}

Status DatasetShards::CheckPresent(std::string_view part) const {
  // A file is named for itself, and base@N as well as a folder's split for all
  // there are.
  const bool is_glob = part.find_first_of("*?") != std::string_view::npos;
  if (std::ranges::find(paths_, part) != paths_.end()) return OkStatus();
  std::set<std::string_view> there(paths_.begin(), paths_.end());
  for (const Listing& listing : listings_) {
    for (const ManifestShard& shard : listing.manifest.shards) {
      const std::string path =
          fmt::format("{}{}", PrefixOf(listing.path), shard.file);
      const bool wanted = is_glob ? GlobTakes(part, path)
                                  : IsOf(path, part.substr(0, part.rfind('@')));
      if (!wanted || there.contains(path)) continue;
      return DataLossError(
          fmt::format("{}: is listed in the manifest {}, but \"{}\" finds no "
                      "such file; {}",
                      path, listing.path, part, kAdvice));
    }
  }
  return OkStatus();
}

const ManifestShard* DatasetShards::Listed(size_t i) const {
  const Place& place = places_[i];
  if (place.shard == kNone) return nullptr;
  return &listings_[place.listing].manifest.shards[place.shard];
}

Status DatasetShards::Differs(size_t i, std::string_view what) const {
  return DataLossError(fmt::format("{}: {} by its manifest {}; {}", paths_[i],
                                   what, listings_[places_[i].listing].path,
                                   kAdvice));
}

Status DatasetShards::Check(size_t i, const ShardFacts& facts) const {
  const ManifestShard* const listed = Listed(i);
  if (listed == nullptr) return OkStatus();
  if (facts.size_bytes != listed->size_bytes) {
    return Differs(i, fmt::format("has {} bytes, but {}", facts.size_bytes,
                                  listed->size_bytes));
  }
  if (facts.records && *facts.records != listed->records) {
    return Differs(i, fmt::format("has an index of {} records, but {}",
                                  *facts.records, listed->records));
  }
  if (listed->sample && facts.sample != *listed->sample) {
    return Differs(i, fmt::format("has other bytes (samples of it give "
                                  "{:08x}, but {:08x})",
                                  facts.sample, *listed->sample));
  }
  return OkStatus();
}

Status DatasetShards::CheckAll(FileSystem& files) const {
  for (size_t i = 0; i < paths_.size(); ++i) {
    if (Listed(i) == nullptr) continue;
    PENSTOCK_ASSIGN_OR_RETURN(const auto file, files.OpenForRead(paths_[i]));
    PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, file->Stat());
    ShardFacts facts = {.size_bytes = info.size_bytes};
    PENSTOCK_ASSIGN_OR_RETURN(facts.sample, SampleFile(*file, info.size_bytes));
    // Without its index first: a file that is another one is told as that, and
    // not as one with a stale index.
    PENSTOCK_RETURN_IF_ERROR(Check(i, facts));
    const StatusOr<RecordIndex> index = RecordIndex::Load(files, paths_[i]);
    if (IsNotFound(index.status())) continue;
    PENSTOCK_RETURN_IF_ERROR(index.status());
    facts.records = index->records();
    PENSTOCK_RETURN_IF_ERROR(Check(i, facts));
  }
  return OkStatus();
}

}  // namespace penstock
