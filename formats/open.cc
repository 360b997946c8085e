#include "formats/open.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/archives/archive_reader.h"
#include "formats/archives/webdataset_reader.h"
#include "formats/corpora/csv_reader.h"
#include "formats/corpora/example_text.h"
#include "formats/corpora/jsonl_reader.h"
#include "formats/corpora/text_reader.h"
#include "formats/files/status_or.h"
#include "formats/records/guarded_reader.h"
#include "formats/streams/bounded_stream.h"
#include "formats/streams/open_stream.h"
#include "formats/streams/plain_stream.h"
#include "formats/tfrecord/tfrecord_reader.h"

namespace penstock {
namespace {

using Reader = StatusOr<std::unique_ptr<RecordReader>>;

// The bytes inside `packed`, where those are bounded.
std::unique_ptr<ByteStream> UnwrapBounded(std::unique_ptr<ByteStream> packed,
                                          Compression compression,
                                          const UnpackLimits& limits) {
  if (compression == Compression::kNone) return packed;
  const uint64_t size_bytes = packed->size_bytes().value_or(0);
  return MakeBoundedStream(Unwrap(std::move(packed), compression), size_bytes,
                           limits);
}

// A buffer for a whole small file; a member of an archive is often one. Twice
// the most of a large one stays in a core's own cache.
size_t BufferBytes(const ByteStream& stream) {
  constexpr uint64_t kMost = 256 << 10;
  return std::min(stream.size_bytes().value_or(kMost) + 1, kMost);
}

std::string NestedText(std::string_view path) {
  return fmt::format(
      "{}: TFRecord files and archives inside an archive are not read; unpack "
      "the outer one",
      path);
}

JsonLeniency LeniencyOf(const OpenOptions& options) {
  JsonLeniency leniency = options.json_leniency;
  leniency.unicode |= options.invalid_utf8 == NotUtf8::kReplace;
  return leniency;
}

// Reads a file of text, whose bytes may lie inside an archive.
Reader ReadTextKind(std::unique_ptr<ByteStream> stream, FileKind kind,
                    const OpenOptions& options) {
  const size_t buffer_bytes = BufferBytes(*stream);
  switch (kind) {
    case FileKind::kText:
      return ReadText(std::move(stream),
                      {.unit = options.text_unit.value_or(TextUnit::kParagraph),
                       .invalid_utf8 = options.invalid_utf8,
                       .on_bad_part = options.on_bad_part,
                       .buffer_bytes = buffer_bytes,
                       .max_record_bytes = options.max_record_bytes});
    case FileKind::kJsonl:
      return ReadJsonl(std::move(stream),
                       {.field = options.json_field,
                        .on_bad_part = options.on_bad_part,
                        .leniency = LeniencyOf(options),
                        .on_repeated_field = options.on_repeated_field,
                        .buffer_bytes = buffer_bytes,
                        .max_record_bytes = options.max_record_bytes,
                        .max_json_line_bytes = options.max_json_line_bytes});
    case FileKind::kCsv:
    case FileKind::kTsv:
      return ReadCsv(std::move(stream),
                     {.delimiter = options.csv_delimiter.value_or(
                          kind == FileKind::kCsv ? ',' : '\t'),
                      .header = options.csv_header,
                      .quotes = options.csv_quotes,
                      .column = options.csv_column,
                      .invalid_utf8 = options.invalid_utf8,
                      .on_bad_part = options.on_bad_part,
                      .buffer_bytes = buffer_bytes,
                      .max_record_bytes = options.max_record_bytes});
    default:
      return UnimplementedError(NestedText(stream->path()));
  }
}

bool IsTextKind(FileKind kind) {
  return kind == FileKind::kText || kind == FileKind::kJsonl ||
         kind == FileKind::kCsv || kind == FileKind::kTsv;
}

// What to do with a member of an archive.
StatusOr<MemberUse> UseOfMember(const OpenOptions& options,
                                std::string_view name) {
  if (options.wants_member && !options.wants_member(name)) {
    return MemberUse::kSkip;
  }
  if (options.member_kind) return MemberUse::kRecords;
  const std::optional<FileKind> kind = KnownKindOfFile(name);
  if (kind && IsTextKind(*kind)) return MemberUse::kRecords;
  switch (options.other_members) {
    case OtherMembers::kWhole:
      return kind ? MemberUse::kRecords : MemberUse::kWhole;
    case OtherMembers::kSkip:
      if (options.on_skipped_member) {
        options.on_skipped_member(name, !kind ? "name that says no kind"
                                        : kind == FileKind::kTfRecord
                                            ? "TFRecord file in an archive"
                                            : "archive in an archive");
      }
      return MemberUse::kSkip;
    case OtherMembers::kRefuse:
      break;
  }
  return kind ? UnimplementedError(NestedText(name))
              : KindOfFile(std::string(name)).status();
}

Reader ReadMember(const OpenOptions& options,
                  std::unique_ptr<ByteStream> member) {
  const std::string path = member->path();
  const FileKind kind = options.member_kind.value_or(
      KnownKindOfFile(path).value_or(FileKind::kText));
  return ReadTextKind(
      UnwrapBounded(std::move(member), CompressionOfFile(path), options.unpack),
      kind, options);
}

ArchiveOptions ArchiveOptionsOf(const OpenOptions& options, FileKind kind,
                                Compression compression) {
  return {.format = kind == FileKind::kZip  ? ArchiveFormat::kZip
                    : kind == FileKind::k7z ? ArchiveFormat::k7z
                                            : ArchiveFormat::kTar,
          .compression = compression,
          .tar_end = options.tar_end,
          .limits = options.archive_limits,
          .unpack = options.unpack,
          .on_skipped = options.on_skipped_member,
          .on_bad_part = options.on_bad_part};
}

Reader OpenExamples(FileSystem& files, const std::string& path,
                    Compression compression, OpenOptions options) {
  PENSTOCK_ASSIGN_OR_RETURN(
      auto records, OpenTfRecord(files, path,
                                 {.compression = compression,
                                  .max_record_bytes = options.max_record_bytes,
                                  .recovery = std::move(options.recovery)}));
  if (!TakesExamples(options)) return records;
  return ReadExampleText(std::move(records),
                         {.feature = options.example_feature.value_or("text"),
                          .only_of_examples = !options.example_feature,
                          .on_bad_part = std::move(options.on_bad_part)});
}

Reader OpenByKind(FileSystem& files, const std::string& path,
                  OpenOptions options) {
  if (!options.kind) {
    PENSTOCK_ASSIGN_OR_RETURN(options.kind, KindOfFile(path));
  }
  const FileKind kind = *options.kind;
  const Compression compression =
      options.compression.value_or(CompressionOfFile(path));
  if (kind != FileKind::kTfRecord &&
      options.recovery.on_corruption != OnCorruption::kFail) {
    return InvalidArgumentError(fmt::format(
        "{}: on_corruption is {}, but damage can only be skipped in TFRecord "
        "files",
        path, OnCorruptionName(options.recovery.on_corruption)));
  }
  switch (kind) {
    case FileKind::kTfRecord:
      return OpenExamples(files, path, compression, std::move(options));
    case FileKind::kText:
    case FileKind::kJsonl:
    case FileKind::kCsv:
    case FileKind::kTsv: {
      PENSTOCK_ASSIGN_OR_RETURN(auto stream, OpenPlainStream(files, path));
      return ReadTextKind(
          UnwrapBounded(std::move(stream), compression, options.unpack), kind,
          options);
    }
    case FileKind::kWebDataset:
      return OpenWebDataset(
          files, path,
          {.archive = ArchiveOptionsOf(options, kind, compression),
           .extension = options.sample_extension,
           .wants_member = options.wants_member,
           .max_record_bytes = options.max_record_bytes});
    case FileKind::kTar:
    case FileKind::kZip:
    case FileKind::k7z:
      break;
  }
  const auto use = [options](std::string_view name) {
    return UseOfMember(options, name);
  };
  const auto open = [options](std::unique_ptr<ByteStream> member) {
    return ReadMember(options, std::move(member));
  };
  return OpenArchive(files, path,
                     {.archive = ArchiveOptionsOf(options, kind, compression),
                      .use = use,
                      .open = open,
                      .max_record_bytes = options.max_record_bytes});
}

}  // namespace

bool TakesExamples(const OpenOptions& options) {
  return options.example_feature ? *options.example_feature != "-"
                                 : options.look_for_examples;
}

Reader OpenRecords(FileSystem& files, const std::string& path,
                   OpenOptions options) {
  return OpenGuarded(
      path, [&] { return OpenByKind(files, path, std::move(options)); });
}

}  // namespace penstock
