// Where a path that is to be written leads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "formats/files/file.h"
#include "formats/files/status_or.h"

namespace penstock {

struct OutputPath {
  std::string path;  // behind all links
  // A device, a pipe or a descriptor of this process: written into as it is,
  // as a new file in its place would end what it is for.
  bool in_place = false;
};

// Follows links, also one to a file that is not there yet.
// Errors:  kInvalidArgument for a folder and for links that lead round.
StatusOr<OutputPath> FindOutput(FileSystem& files, const std::string& path);

// 1 for "/dev/stdout", 7 for "/dev/fd/7" and "/proc/self/fd/7"; none for other
// paths.
std::optional<int> DescriptorOfPath(std::string_view path);

// "a/b" -> "a", "/b" -> "/", "b" -> ".".
std::string FolderOf(const std::string& path);

}  // namespace penstock
