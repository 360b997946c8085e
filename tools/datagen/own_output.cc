#include "tools/datagen/own_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "formats/datasets/manifest.h"
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

}  // namespace

Status RefuseOwnOutput(FileSystem& files, const InputFiles& input,
                       const std::string& output) {
  const std::filesystem::path output_folder = RealFolder(output);
  std::string last_folder;
  std::string last_manifest;
  for (size_t i = 0; i < input.paths.size(); ++i) {
    if (input.named[i]) continue;
    const std::string& path = input.paths[i];
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
