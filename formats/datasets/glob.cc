#include "formats/datasets/glob.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

// More are taken for a loop of links on a file system without inodes.
constexpr int kMostFolders = 64;

std::vector<std::string_view> PartsOf(std::string_view path) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    if (end > begin) parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

using Parts = std::span<const std::string_view>;

// Whether `name` is one of those that a glob takes only where it says so.
bool IsLeftOut(std::string_view name, std::string_view glob) {
  return (name.starts_with('.') && !glob.starts_with('.')) ||
         (name.ends_with(".index") && !glob.ends_with(".index"));
}

class Finder {
 public:
  explicit Finder(FileSystem& files) : files_(files) {}

  // `folder` is empty or ends with "/".
  Status Find(const std::string& folder, Parts parts, int depth) {
    const std::string_view part = parts[0];
    const bool is_last = parts.size() == 1;
    if (part != "**" && !is_last && !IsGlob(part)) {
      const std::string path = folder + std::string(part) + "/";
      if (depth > 0 && !files_.Stat(path).ok()) return OkStatus();
      return Find(path, parts.subspan(1), depth);
    }
    PENSTOCK_ASSIGN_OR_RETURN(const auto names,
                              files_.List(folder.empty() ? "." : folder));
    if (part == "**") return FindBelow(folder, names, parts, depth);
    for (const std::string& name : names) {
      if (!NameIsTaken(name, part)) continue;
      const std::string path = folder + name;
      const StatusOr<FileInfo> info = files_.Stat(path);
      if (is_last) {
        // What is not there, or may not be asked, is named where it is opened.
        if (!info.ok() || !info->is_folder) found_.insert(path);
      } else if (info.ok() && info->is_folder) {
        PENSTOCK_RETURN_IF_ERROR(Find(path + "/", parts.subspan(1), depth + 1));
      }
    }
    return OkStatus();
  }

  std::vector<std::string> found() const {
    return {found_.begin(), found_.end()};
  }

 private:
  Status FindBelow(const std::string& folder,
                   const std::vector<std::string>& names, Parts parts,
                   int depth) {
    if (depth > kMostFolders) {
      return InvalidArgumentError(
          fmt::format("{}: folders nested deeper than {}; is there a loop of "
                      "links?",
                      folder, kMostFolders));
    }
    const StatusOr<FileInfo> here = files_.Stat(folder.empty() ? "." : folder);
    if (here.ok() && here->inode != 0 &&
        !seen_.emplace(here->device, here->inode, parts.size()).second) {
      return OkStatus();
    }
    static constexpr std::string_view kAny[] = {"*"};
    PENSTOCK_RETURN_IF_ERROR(
        Find(folder, parts.size() > 1 ? parts.subspan(1) : Parts(kAny), depth));
    for (const std::string& name : names) {
      if (name.starts_with('.')) continue;
      const StatusOr<FileInfo> info = files_.Stat(folder + name);
      if (!info.ok() || !info->is_folder) continue;
      PENSTOCK_RETURN_IF_ERROR(Find(folder + name + "/", parts, depth + 1));
    }
    return OkStatus();
  }

  FileSystem& files_;
  std::set<std::string> found_;
  std::set<std::tuple<uint64_t, uint64_t, size_t>> seen_;  // folders of a "**"
};

bool PartsMatch(Parts path, Parts pattern) {
  // reached[i]: the pattern's parts so far match the first i of the path.
  std::vector<bool> reached(path.size() + 1, false);
  reached[0] = true;
  for (const std::string_view part : pattern) {
    std::vector<bool> next(path.size() + 1, false);
    for (size_t i = 0; i <= path.size(); ++i) {
      if (part == "**") {
        next[i] = reached[i] || (i > 0 && next[i - 1]);
      } else {
        next[i] = i > 0 && reached[i - 1] && NameMatches(path[i - 1], part);
      }
    }
    reached = std::move(next);
  }
  return reached[path.size()];
}

}  // namespace

bool IsGlob(std::string_view pattern) {
  return pattern.find_first_of("*?") != std::string_view::npos;
}

bool NameMatches(std::string_view name, std::string_view pattern) {
  size_t t = 0;
  size_t p = 0;
  size_t star = std::string_view::npos;  // the last * seen, to widen it
  size_t star_text = 0;
  while (t < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() &&
               (pattern[p] == '?' || pattern[p] == name[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool NameIsTaken(std::string_view name, std::string_view pattern) {
  return !IsLeftOut(name, pattern) && NameMatches(name, pattern);
}

bool PathMatches(std::string_view path, std::string_view pattern) {
  return PartsMatch(PartsOf(path), PartsOf(pattern));
}

StatusOr<std::vector<std::string>> FindMatches(FileSystem& files,
                                               std::string_view pattern) {
  // What stands before the first part with a wildcard is kept as it is.
  const size_t fixed =
      pattern.rfind('/', pattern.find_first_of("*?")) + 1;  // npos + 1 == 0
  const std::vector<std::string_view> parts = PartsOf(pattern.substr(fixed));
  Finder finder(files);
  PENSTOCK_RETURN_IF_ERROR(
      finder.Find(std::string(pattern.substr(0, fixed)), parts, 0));
  std::vector<std::string> found = finder.found();
  if (found.empty()) {
    return NotFoundError(fmt::format("no file matches \"{}\"", pattern));
  }
  return found;
}

}  // namespace penstock
