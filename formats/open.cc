#include "formats/open.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "formats/jsonl_reader.h"
#include "formats/status.h"
#include "formats/text_reader.h"
#include "formats/tfrecord_reader.h"

namespace penstock {
namespace {

struct KnownEnd {
  std::string_view end;
  FileKind kind;
};

constexpr std::array<KnownEnd, 10> kKnownEnds = {{
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
}};

// A file's name, in small letters, without what was wrapped around it.
struct Name {
  std::string bare;
  bool gzip = false;
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

Name NameOf(const std::string& path) {
  Name name{path.substr(path.find_last_of('/') + 1)};
  std::ranges::transform(name.bare, name.bare.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  bool shard = TakeOffShard(name.bare);
  if (name.bare.ends_with(".gz")) {
    name.gzip = true;
    name.bare.resize(name.bare.size() - 3);
    if (!shard) TakeOffShard(name.bare);
  }
  return name;
}

}  // namespace

absl::StatusOr<FileKind> KindOfFile(const std::string& path) {
  const std::string name = NameOf(path).bare;
  std::string list;
  for (const KnownEnd& known : kKnownEnds) {
    if (name.ends_with(known.end)) return known.kind;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", known.end);
  }
  return absl::InvalidArgumentError(fmt::format(
      "{}: the name does not say what the file is; known are {}, each also "
      "with .gz; or say the kind{}",
      path, list,
      name.ends_with(".json") ? " (jsonl where each line is a document)" : ""));
}

Compression CompressionOfFile(const std::string& path) {
  return NameOf(path).gzip ? Compression::kGzip : Compression::kNone;
}

absl::StatusOr<std::unique_ptr<RecordReader>> OpenRecords(
    FileSystem& files, const std::string& path, OpenOptions options) {
  if (!options.kind) {
    PENSTOCK_ASSIGN_OR_RETURN(options.kind, KindOfFile(path));
  }
  const Compression compression =
      options.compression.value_or(CompressionOfFile(path));
  switch (*options.kind) {
    case FileKind::kTfRecord:
      return OpenTfRecord(files, path,
                          {.compression = compression,
                           .max_record_bytes = options.max_record_bytes});
    case FileKind::kText:
      return OpenText(files, path,
                      {.compression = compression,
                       .unit = options.text_unit,
                       .max_record_bytes = options.max_record_bytes});
    case FileKind::kJsonl:
      return OpenJsonl(files, path,
                       {.compression = compression,
                        .field = std::move(options.json_field),
                        .on_bad_line = std::move(options.on_bad_line),
                        .max_record_bytes = options.max_record_bytes});
  }
  return absl::InvalidArgumentError("no such kind of file");
}

}  // namespace penstock
