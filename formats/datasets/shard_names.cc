#include "formats/datasets/shard_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "formats/datasets/dataset_switch.h"
#include "formats/datasets/glob.h"
#include "formats/datasets/tfds_folder.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

// "base@16.tfrecord" in its three parts.
struct ShardSpec {
  std::string_view base;
  uint32_t shards = 0;
  std::string_view suffix;
};

Status BadPattern(std::string_view pattern, std::string_view why) {
  return InvalidArgumentError(
      fmt::format("bad file pattern \"{}\": {}", pattern, why));
}

// Nothing where the last part of the path has no "@" with digits behind it.
StatusOr<std::optional<ShardSpec>> ParseShards(std::string_view pattern) {
  const size_t at = pattern.rfind('@');
  if (at == std::string_view::npos ||
      pattern.find('/', at) != std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view behind = pattern.substr(at + 1);
  const size_t digits =
      std::min(behind.find_first_not_of("0123456789"), behind.size());
  ShardSpec spec{.base = pattern.substr(0, at),
                 .suffix = behind.substr(digits)};
  if (digits == 0 || (!spec.suffix.empty() && spec.suffix[0] != '.')) {
    return std::nullopt;
  }
  const auto parsed =
      std::from_chars(behind.data(), behind.data() + digits, spec.shards);
  if (parsed.ec != std::errc() || spec.shards == 0) {
    return BadPattern(pattern, "the number of shards must be 1 to 4294967295");
  }
  if (spec.base.empty() || spec.base.back() == '/') {
    return BadPattern(pattern, "there is no name before the @");
  }
  return spec;
}

bool AreDigits(std::string_view text) {
  return text.size() >= 5 &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

Status CheckGenerations(std::string_view pattern,
                        const std::vector<std::string>& paths) {
  std::map<std::string_view, std::map<uint32_t, uint64_t>> generations;
  for (const std::string& path : paths) {
    const std::optional<ShardOf> shard = ParseShardName(path);
    if (shard) ++generations[shard->base][shard->shards];
  }
  for (const auto& [base, counts] : generations) {
    if (counts.size() < 2) continue;
    std::string found;
    for (const auto& [shards, files] : counts) {
      found += fmt::format("{}{} of {:05}", found.empty() ? "" : ", ", files,
                           shards);
    }
    return BadPattern(
        pattern,
        fmt::format("it takes files of {} generations of {} together ({}); "
                    "name one as {}@{}, or ask for each: {}-*-of-{:05},...",
                    counts.size(), base, found, base, counts.rbegin()->first,
                    base, counts.rbegin()->first));
  }
  return OkStatus();
}

StatusOr<std::vector<std::string>> ExpandGlob(FileSystem& files,
                                              std::string_view pattern,
                                              ExpandOptions options) {
  PENSTOCK_ASSIGN_OR_RETURN(std::vector<std::string> paths,
                            FindMatches(files, pattern));
  if (options.generations == Generations::kOne) {
    PENSTOCK_RETURN_IF_ERROR(CheckGenerations(pattern, paths));
  }
  return paths;
}

// The shards of "FOLDER@SPLIT" or "FOLDER"; none where that is no TFDS folder.
StatusOr<std::vector<std::string>> ExpandTfds(FileSystem& files,
                                              std::string_view pattern) {
  size_t at = pattern.rfind('@');
  if (at != std::string_view::npos && files.Stat(std::string(pattern)).ok()) {
    at = std::string_view::npos;  // the name itself has an @
  }
  const std::string folder(pattern.substr(0, at));
  const std::string_view split =
      at == std::string_view::npos ? "" : pattern.substr(at + 1);
  const StatusOr<FileInfo> info = files.Stat(folder);
  if (!info.ok() || !info->is_folder ||
      !files.Stat(folder + "/dataset_info.json").ok()) {
    return std::vector<std::string>();
  }
  return TfdsShardPaths(files, folder, split);
}

Status CheckFile(FileSystem& files, const std::string& path) {
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, files.Stat(path));
  if (!info.is_folder) return OkStatus();
  return InvalidArgumentError(fmt::format(
      "{}: is a folder, not a file; for the files in it say \"{}{}*\"", path,
      path, path.ends_with('/') ? "" : "/"));
}

StatusOr<std::vector<std::string>> ExpandOne(FileSystem& files,
                                             std::string_view pattern,
                                             ExpandOptions options) {
  if (pattern.empty()) return BadPattern(pattern, "an empty file name");
  if (IsGlob(pattern)) return ExpandGlob(files, pattern, options);
  PENSTOCK_ASSIGN_OR_RETURN(const auto spec, ParseShards(pattern));
  std::vector<std::string> paths;
  if (!spec.has_value()) {
    PENSTOCK_ASSIGN_OR_RETURN(paths, ExpandTfds(files, pattern));
    if (paths.empty()) paths.emplace_back(pattern);
    for (const std::string& path : paths) {
      PENSTOCK_RETURN_IF_ERROR(CheckFile(files, path));
    }
    return paths;
  }
  for (uint32_t shard = 0; shard < spec->shards; ++shard) {
    paths.push_back(ShardName(spec->base, shard, spec->shards));
    paths.back() += spec->suffix;
    PENSTOCK_RETURN_IF_ERROR(
        Annotate(CheckFile(files, paths.back()),
                 fmt::format("shard {} of \"{}\"", shard, pattern)));
  }
  return paths;
}

// As CheckNotSwitching(), of "FOLDER@SPLIT" and "FOLDER": a split that is being
// replaced is in no dataset_info.json meanwhile.
Status CheckSplit(FileSystem& files, std::string_view pattern) {
  constexpr std::string_view kEnd = ".switch";
  const size_t at = std::min(pattern.rfind('@'), pattern.size());
  const std::string folder(pattern.substr(0, at));
  const auto names = files.List(folder);
  if (!names.ok()) return OkStatus();  // no folder
  const std::string end =
      at == pattern.size() ? std::string(kEnd)
                           : fmt::format("-{}{}", pattern.substr(at + 1), kEnd);
  for (const std::string& name : *names) {
    if (!name.starts_with('.') || !name.ends_with(end)) continue;
    PENSTOCK_RETURN_IF_ERROR(CheckNotSwitching(
        files, fmt::format("{}/{}.tfrecord", folder,
                           name.substr(1, name.size() - 1 - kEnd.size()))));
  }
  return OkStatus();
}

// The shards of a dataset stand together, so each is asked for once.
Status CheckDatasets(FileSystem& files, const std::vector<std::string>& paths) {
  std::string_view last;
  for (const std::string& path : paths) {
    const std::string_view dataset =
        std::string_view(path).substr(0, path.rfind(".tfrecord"));
    if (dataset == last) continue;
    PENSTOCK_RETURN_IF_ERROR(CheckNotSwitching(files, path));
    last = dataset;
  }
  return OkStatus();
}

}  // namespace

std::string ShardName(std::string_view base, uint32_t shard, uint32_t shards) {
  return fmt::format("{}-{:05}-of-{:05}", base, shard, shards);
}

std::optional<ShardOf> ParseShardName(std::string_view path) {
  const size_t of = path.rfind("-of-");
  if (of == std::string_view::npos || of == 0) return std::nullopt;
  const std::string_view shards = path.substr(of + 4);
  const size_t number = path.rfind('-', of - 1);
  if (number == std::string_view::npos || !AreDigits(shards) ||
      !AreDigits(path.substr(number + 1, of - number - 1))) {
    return std::nullopt;
  }
  ShardOf shard{.base = path.substr(0, number)};
  const auto parsed = std::from_chars(
      shards.data(), shards.data() + shards.size(), shard.shards);
  if (parsed.ec != std::errc()) return std::nullopt;
  return shard;
}

bool GlobTakes(std::string_view pattern, std::string_view path) {
  if (!IsGlob(pattern) || !PathMatches(path, pattern)) return false;
  return NameIsTaken(path.substr(path.rfind('/') + 1),
                     pattern.substr(pattern.rfind('/') + 1));
}

StatusOr<std::vector<std::string>> ExpandPattern(FileSystem& files,
                                                 std::string_view pattern,
                                                 ExpandOptions options) {
  std::vector<std::string> paths;
  for (size_t begin = 0; begin <= pattern.size();) {
    const size_t end = std::min(pattern.find(',', begin), pattern.size());
    const std::string_view one = pattern.substr(begin, end - begin);
    auto part = ExpandOne(files, one, options);
    if (!part.ok()) {  // perhaps because shards are just being moved
      PENSTOCK_RETURN_IF_ERROR(CheckNotSwitching(files, one));
      PENSTOCK_RETURN_IF_ERROR(CheckSplit(files, one));
      return part.status();
    }
    paths.insert(paths.end(), std::make_move_iterator(part->begin()),
                 std::make_move_iterator(part->end()));
    begin = end + 1;
  }
  PENSTOCK_RETURN_IF_ERROR(CheckDatasets(files, paths));
  return paths;
}

}  // namespace penstock
