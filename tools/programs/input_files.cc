#include "tools/programs/input_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/datasets/shard_names.h"
#include "formats/files/status_or.h"
#include "formats/streams/file_kind.h"

namespace penstock {
namespace {

// A folder deeper than this is taken for a loop of links.
constexpr int kMaxDepth = 64;

Status WalkFolder(FileSystem& files, const std::string& folder, int depth,
                  std::vector<std::string>& found) {
  if (depth > kMaxDepth) {
    return InvalidArgumentError(
        fmt::format("{}: folders nested deeper than {}; is there a loop of "
                    "links?",
                    folder, kMaxDepth));
  }
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                            files.List(folder));
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, files.Stat(path));
    if (info.is_folder) {
      PENSTOCK_RETURN_IF_ERROR(WalkFolder(files, path, depth + 1, found));
    } else {
      found.push_back(path);
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<InputFiles> FindInputFiles(FileSystem& files,
                                    const std::vector<std::string>& inputs,
                                    std::optional<FileKind> kind) {
  InputFiles result;
  for (const std::string& input : inputs) {
    const StatusOr<FileInfo> info = files.Stat(input);
    if (info.ok() && info->is_folder) {
      std::vector<std::string> found;
      PENSTOCK_RETURN_IF_ERROR(WalkFolder(files, input, 0, found));
      std::sort(found.begin(), found.end());
      for (std::string& path : found) {
        const bool readable = kind.has_value() || KindOfFile(path).ok();
        (readable ? result.paths : result.skipped).push_back(std::move(path));
      }
      continue;
    }
    PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                              ExpandPattern(files, input));
    for (const std::string& path : paths) {
      if (!kind.has_value()) {
        PENSTOCK_RETURN_IF_ERROR(KindOfFile(path).status());
      }
      result.paths.push_back(path);
    }
  }
  if (result.paths.empty()) {
    return InvalidArgumentError(fmt::format(
        "nothing to read: {} files were found and none has a name that says "
        "its kind; say it with --kind",
        result.skipped.size()));
  }
  for (const std::string& path : result.paths) {
    PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, files.Stat(path));
    result.size_bytes += info.size_bytes;
  }
  return result;
}

}  // namespace penstock
