#include "formats/streams/file_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace penstock {
namespace {

struct KnownEnd {
  std::string_view end;
  FileKind kind;
};

constexpr std::array<KnownEnd, 17> kKnownEnds = {{
    {".tfrecord", FileKind::kTfRecord},
    {".tfrecords", FileKind::kTfRecord},
    {".jsonl", FileKind::kJsonl},
    {".ndjson", FileKind::kJsonl},
    {".txt", FileKind::kText},
    {".text", FileKind::kText},
    {".md", FileKind::kText},
    {".markdown", FileKind::kText},
    {".rst", FileKind::kText},
    {".pod", FileKind::kText},
    {".csv", FileKind::kCsv},
    {".tsv", FileKind::kTsv},
    {".tab", FileKind::kTsv},
    {".tar", FileKind::kTar},
    {".tgz", FileKind::kTar},
    {".zip", FileKind::kZip},
    {".7z", FileKind::k7z},
}};

struct Wrapping {
  std::string_view end;
  Compression compression;
};

constexpr std::array<Wrapping, 4> kWrappings = {{
    {".gz", Compression::kGzip},
    {".zst", Compression::kZstd},
    {".xz", Compression::kXz},
    {".bz2", Compression::kBzip2},
}};

// A file's name, in small letters, without what was wrapped around it.
struct Name {
  std::string bare;
  Compression compression = Compression::kNone;
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Takes "-00003-of-00016" off the end.
bool TakeOffShard(std::string& name) {
  const auto digits = [&](size_t end) {
    size_t begin = end;
    while (begin > 0 && IsDigit(name[begin - 1])) --begin;
    return end - begin;
  };
  constexpr std::string_view kOf = "-of-";
  const size_t total = digits(name.size());
  if (total < 5) return false;
  const size_t of = name.size() - total;
  if (!std::string_view(name).substr(0, of).ends_with(kOf)) return false;
  const size_t shard = digits(of - kOf.size());
  if (shard < 5) return false;
  const size_t dash = of - kOf.size() - shard;
  if (dash == 0 || name[dash - 1] != '-') return false;
  name.resize(dash - 1);
  return true;
}

Name NameOf(std::string_view path) {
  Name name{std::string(path.substr(path.find_last_of('/') + 1))};
  std::ranges::transform(name.bare, name.bare.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  bool shard = TakeOffShard(name.bare);
  if (name.bare.ends_with(".tgz")) name.compression = Compression::kGzip;
  for (const Wrapping& wrapping : kWrappings) {
    if (!name.bare.ends_with(wrapping.end)) continue;
    name.compression = wrapping.compression;
    name.bare.resize(name.bare.size() - wrapping.end.size());
    if (!shard) TakeOffShard(name.bare);
    break;
  }
  return name;
}

}  // namespace

std::optional<FileKind> KnownKindOfFile(std::string_view path) {
  if (path.find('.', path.find_last_of('/') + 1) == path.npos) {
    return std::nullopt;  // as members of archives often have it
  }
  const std::string name = NameOf(path).bare;
  for (const KnownEnd& known : kKnownEnds) {
    if (name.ends_with(known.end)) return known.kind;
  }
  return std::nullopt;
}

StatusOr<FileKind> KindOfFile(const std::string& path) {
  if (const auto kind = KnownKindOfFile(path)) return *kind;
  std::string list;
  for (const KnownEnd& known : kKnownEnds) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", known.end);
  }
  return InvalidArgumentError(fmt::format(
      "{}: the name does not say what the file is; known are {}, each also "
      "with .gz, .zst, .xz or .bz2; or say the kind{}",
      path, list,
      NameOf(path).bare.ends_with(".json")
          ? " (jsonl where each line is a document)"
          : ""));
}

Compression CompressionOfFile(const std::string& path) {
  return NameOf(path).compression;
}

}  // namespace penstock
