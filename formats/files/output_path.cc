#include "formats/files/output_path.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

constexpr int kMostLinks = 40;  // as Linux

}  // namespace

StatusOr<OutputPath> FindOutput(FileSystem& files, const std::string& path) {
  std::string at = path;
  for (int links = 0;; ++links) {
    if (DescriptorOfPath(at).has_value()) {
      return OutputPath{.path = std::move(at), .in_place = true};
    }
    const StatusOr<std::string> target = files.ReadLink(at);
    if (!target.ok()) break;
    if (links == kMostLinks) {
      return InvalidArgumentError(
          fmt::format("{}: more than {} links, one behind the other; do they "
                      "lead round?",
                      path, kMostLinks));
    }
    const size_t folder_end = at.rfind('/') + 1;  // npos + 1 == 0
    at = (target->starts_with('/') ? "" : at.substr(0, folder_end)) + *target;
  }
  const StatusOr<FileInfo> there = files.Stat(at);
  if (path.empty() || path.ends_with('/') || (there.ok() && there->is_folder)) {
    return InvalidArgumentError(
        fmt::format("{}: is a folder, not a file to write", path));
  }
  const bool in_place = there.ok() && there->is_stream;
  return OutputPath{.path = std::move(at), .in_place = in_place};
}

std::optional<int> DescriptorOfPath(std::string_view path) {
  if (path == "/dev/stdout") return 1;
  if (path == "/dev/stderr") return 2;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int number = -1;
    const char* const last = path.data() + path.size();
    const auto [end, error] =
        std::from_chars(path.data() + folder.size(), last, number);
    if (error == std::errc() && end == last && number >= 0) return number;
  }
  return std::nullopt;
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace penstock
