#include "tools/programs/input_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "formats/datasets/glob.h"
#include "formats/datasets/shard_names.h"
#include "formats/files/status_or.h"
#include "formats/streams/file_kind.h"
#include "tools/programs/record_choices.h"

namespace penstock {
namespace {

// A folder deeper than this is taken for a loop of links.
constexpr int kMaxDepth = 64;

constexpr const char* kStandardInput = "standard input";

bool IsArchive(FileKind kind) {
  return kind == FileKind::kTar || kind == FileKind::kZip ||
         kind == FileKind::k7z || kind == FileKind::kWebDataset;
}

// Whether a part of `path`, or it up to there, matches.
bool PartMatches(std::string_view path, std::string_view pattern) {
  for (size_t begin = 0, end = 0; end < path.size(); begin = end + 1) {
    end = std::min(path.find('/', begin), path.size());
    if (pattern.find('/') == std::string_view::npos
            ? NameMatches(path.substr(begin, end - begin), pattern)
            : PathMatches(path.substr(0, end), pattern)) {
      return true;
    }
  }
  return false;
}

// "csv:PATH" in two; the whole is a path where it is one.
std::string_view TakeOffKind(FileSystem& files, const std::string& input,
                             std::optional<FileKind>& kind) {
  const size_t colon = input.find(':');
  if (colon == std::string::npos || files.Stat(input).ok()) return input;
  for (const auto& [word, value] : FileKindChoices()) {
    if (std::string_view(input).substr(0, colon) != word) continue;
    kind = value;
    return std::string_view(input).substr(colon + 1);
  }
  return input;
}

class InputFinder {
 public:
  InputFinder(FileSystem& files, const InputChoices& choices)
      : files_(files), choices_(choices) {}

  Status Add(const std::string& input) {
    kind_ = choices_.kind;
    const std::string path(TakeOffKind(files_, input, kind_));
    is_named_ = !IsGlob(path);
    if (path == "-") return AddStream(kStandardInput);
    const StatusOr<FileInfo> info = files_.Stat(path);
    if (info.ok() && info->is_folder) {
      is_named_ = false;
      return AddFolder(path, *info);
    }
    PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                              ExpandPattern(files_, path));
    is_one_ = paths.size() == 1 && is_named_;
    for (const std::string& one : paths) {
      const StatusOr<FileInfo> of_one = files_.Stat(one);
      if (!of_one.ok()) {
        PENSTOCK_RETURN_IF_ERROR(LeaveOut(of_one.status()));
        continue;
      }
      if (!Wanted(one)) continue;
      if (of_one->is_stream && !is_named_) {
        result_.pipes.push_back(one);
        continue;
      }
      if (!kind_) PENSTOCK_RETURN_IF_ERROR(KindOfFile(one).status());
      PENSTOCK_RETURN_IF_ERROR(Take(one, *of_one));
    }
    return OkStatus();
  }

  StatusOr<InputFiles> Finish(size_t inputs) {
    for (const auto& [path, info] : unknown_) {
      if (seen_.contains({info.device, info.inode})) continue;
      result_.skipped.push_back(path);
    }
    if (result_.paths.empty() && result_.bad.empty()) {
      return InvalidArgumentError(fmt::format(
          "nothing to read: {} files were found whose names say no kind (say "
          "it with --kind), and {} that --include and --exclude leave out",
          result_.skipped.size(), excluded_));
    }
    if (inputs == 1 && is_one_ && result_.paths.size() == 1 &&
        KindOf(0) == FileKind::kText) {
      result_.text_unit = TextUnit::kParagraph;
    }
    return std::move(result_);
  }

 private:
  std::optional<FileKind> KindOf(size_t i) const {
    return result_.kinds[i] ? result_.kinds[i]
                            : KnownKindOfFile(result_.paths[i]);
  }

  Status LeaveOut(const Status& why) {
    if (!choices_.leave_out_bad) return why;
    result_.bad.push_back(why);
    return OkStatus();
  }

  // Archives are asked for by what is in them.
  bool Wanted(std::string_view path) {
    const std::optional<FileKind> kind = kind_ ? kind_ : KnownKindOfFile(path);
    const bool wanted = kind && IsArchive(*kind) ? !choices_.Excludes(path)
                                                 : choices_.Takes(path);
    if (!wanted) ++excluded_;
    return wanted;
  }

  Status AddStream(const std::string& name) {
    if (result_.streams.contains(name)) {
      return InvalidArgumentError(fmt::format("{} is given twice", name));
    }
    if (!kind_ && name == kStandardInput) {
      return InvalidArgumentError(
          "standard input has no name that says what it is; say it with "
          "--kind, or as in \"jsonl:-\"");
    }
    PENSTOCK_ASSIGN_OR_RETURN(
        SpooledInput spooled,
        name == kStandardInput ? SpooledInput::Read(choices_.stop)
                               : SpooledInput::ReadFrom(name, choices_.stop));
    auto shared = std::make_shared<const SpooledInput>(std::move(spooled));
    PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, files_.Stat(shared->path()));
    result_.streams.emplace(name, std::move(shared));
    is_one_ = true;
    Append(name, info.size_bytes);
    return OkStatus();
  }

  void Append(std::string path, uint64_t size_bytes) {
    result_.size_bytes += size_bytes;
    result_.paths.push_back(std::move(path));
    result_.kinds.push_back(kind_);
    result_.named.push_back(is_named_);
  }

  Status Take(const std::string& path, const FileInfo& info) {
    if (info.is_stream) return AddStream(path);
    if (info.inode != 0) {
      const auto [at, is_new] =
          seen_.try_emplace({info.device, info.inode}, path);
      if (!is_new) {
        if (result_.repeated++ == 0) {
          result_.first_repeated =
              fmt::format("{} is also {}", path, at->second);
        }
        return OkStatus();
      }
    }
    Append(path, info.size_bytes);
    return OkStatus();
  }

  Status AddFolder(const std::string& folder, const FileInfo& info) {
    std::vector<std::pair<std::string, FileInfo>> found;
    PENSTOCK_RETURN_IF_ERROR(Walk(folder, info, 0, found));
    std::ranges::sort(found, {}, [](const auto& file) { return file.first; });
    for (const auto& [path, of_file] : found) {
      if (!Wanted(std::string_view(path).substr(folder.size() + 1))) continue;
      if (of_file.is_stream) {
        result_.pipes.push_back(path);
      } else if (kind_ || KnownKindOfFile(path)) {
        PENSTOCK_RETURN_IF_ERROR(Take(path, of_file));
      } else {
        unknown_.emplace_back(path, of_file);
      }
    }
    return OkStatus();
  }

  Status Walk(const std::string& folder, const FileInfo& info, int depth,
              std::vector<std::pair<std::string, FileInfo>>& found) {
    if (depth > kMaxDepth) {
      return InvalidArgumentError(
          fmt::format("{}: folders nested deeper than {}; is there a loop of "
                      "links?",
                      folder, kMaxDepth));
    }
    // A loop of links ends here; its files were met, or will be. Another kind
    // takes others of them.
    if (info.inode != 0 &&
        !folders_.emplace(info.device, info.inode, kind_).second) {
      if (result_.repeated++ == 0) {
        result_.first_repeated = fmt::format("folder {}", folder);
      }
      return OkStatus();
    }
    const StatusOr<std::vector<std::string>> names = files_.List(folder);
    if (!names.ok()) return LeaveOut(names.status());
    for (const std::string& name : *names) {
      const std::string path = folder + "/" + name;
      const StatusOr<FileInfo> of_path = files_.Stat(path);
      if (!of_path.ok()) {
        PENSTOCK_RETURN_IF_ERROR(LeaveOut(of_path.status()));
      } else if (of_path->is_folder) {
        PENSTOCK_RETURN_IF_ERROR(Walk(path, *of_path, depth + 1, found));
      } else {
        found.emplace_back(path, *of_path);
      }
    }
    return OkStatus();
  }

  FileSystem& files_;
  const InputChoices& choices_;
  InputFiles result_;
  std::optional<FileKind> kind_;  // of the input that is added
  bool is_named_ = false;         // it names its files itself
  bool is_one_ = false;           // and it is one file
  uint64_t excluded_ = 0;
  std::map<std::pair<uint64_t, uint64_t>, std::string> seen_;
  // Met in folders without anything to say their kind; perhaps an input did.
  std::vector<std::pair<std::string, FileInfo>> unknown_;
  std::set<std::tuple<uint64_t, uint64_t, std::optional<FileKind>>> folders_;
};

}  // namespace

bool InputChoices::Excludes(std::string_view path) const {
  return std::ranges::any_of(exclude, [&](const std::string& pattern) {
    return PartMatches(path, pattern);
  });
}

bool InputChoices::Takes(std::string_view path) const {
  if (Excludes(path)) return false;
  return include.empty() ||
         std::ranges::any_of(include, [&](const std::string& pattern) {
           return PartMatches(path, pattern);
         });
}

bool InputFiles::HasTexts() const {
  for (size_t i = 0; i < paths.size(); ++i) {
    const auto kind = kinds[i] ? kinds[i] : KnownKindOfFile(paths[i]);
    if (kind && (*kind == FileKind::kText || IsArchive(*kind))) return true;
  }
  return false;
}

StatusOr<InputFiles> FindInputFiles(FileSystem& files,
                                    const std::vector<std::string>& inputs,
                                    const InputChoices& choices) {
  InputFinder finder(files, choices);
  for (const std::string& input : inputs) {
    PENSTOCK_RETURN_IF_ERROR(finder.Add(input));
  }
  return finder.Finish(inputs.size());
}

}  // namespace penstock
