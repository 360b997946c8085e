#include "tools/datagen/own_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "formats/datasets/manifest.h"
#include "formats/datasets/shard_names.h"
#include "formats/files/output_path.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

// Empty where there is no such folder.
std::filesystem::path RealFolder(const std::string& folder) {
  std::error_code failed;
  return std::filesystem::canonical(folder, failed);
}

bool IsInside(const std::filesystem::path& path,
              const std::filesystem::path& folder) {
  if (path.empty() || folder.empty()) return false;
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

// The paths that the inputs name themselves.
std::set<std::string> NamedPaths(FileSystem& files,
                                 const std::vector<std::string>& inputs) {
  std::set<std::string> named;
  for (const std::string& input : inputs) {
    const StatusOr<FileInfo> info = files.Stat(input);
    const bool searched = (info.ok() && info->is_folder) ||
                          input.find_first_of("*?") != std::string::npos;
    if (searched) continue;
    const auto paths = ExpandPattern(files, input);
    if (paths.ok()) named.insert(paths->begin(), paths->end());
  }
  return named;
}

}  // namespace

Status RefuseOwnOutput(FileSystem& files,
                       const std::vector<std::string>& inputs,
                       const std::vector<std::string>& paths,
                       const std::string& output) {
  const std::set<std::string> named = NamedPaths(files, inputs);
  const std::filesystem::path output_folder = RealFolder(output);
  std::string last_folder;
  std::string last_manifest;
  for (const std::string& path : paths) {
    if (named.contains(path)) continue;
    // Paths of one folder, and shards of one dataset, stand together.
    const std::string folder = FolderOf(path);
    if (folder != last_folder && IsInside(RealFolder(folder), output_folder)) {
      return InvalidArgumentError(fmt::format(
          "{}: lies in the folder that is written to, {}, and may be what was "
          "written there; choose another --output, name the files to be read, "
          "or give --allow-own-output",
          path, output));
    }
    last_folder = folder;
    const std::string manifest = ManifestPathOf(path);
    if (!manifest.empty() && manifest != last_manifest &&
        files.Stat(manifest).ok()) {
      return InvalidArgumentError(fmt::format(
          "{}: is of a dataset that datagen has written, with the manifest {}; "
          "move it out of what is searched, name its shards, or give "
          "--allow-own-output",
          path, manifest));
    }
    last_manifest = manifest;
  }
  return OkStatus();
}

}  // namespace penstock
