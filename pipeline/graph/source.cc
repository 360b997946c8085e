#include "pipeline/graph/source.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "formats/datasets/dataset_shards.h"
#include "formats/datasets/glob.h"
#include "formats/datasets/shard_names.h"
#include "formats/files/file_sample.h"
#include "formats/files/status_or.h"
#include "formats/index/record_index.h"
#include "formats/open.h"
#include "formats/records/record_reader.h"
#include "formats/records/recovery.h"
#include "formats/streams/file_kind.h"
#include "tokenizer/interface/fingerprint.h"

namespace penstock {
namespace {

// Why the records of `path` cannot be reached by number, or nothing.
StatusOr<std::string> WhySequential(FileSystem& files, const std::string& path,
                                    const OpenOptions& options) {
  FileKind kind = FileKind::kTfRecord;
  if (options.kind) {
    kind = *options.kind;
  } else {
    PENSTOCK_ASSIGN_OR_RETURN(kind, KindOfFile(path));
  }
  if (kind != FileKind::kTfRecord) {
    return fmt::format("{} is no TFRecord file", path);
  }
  if (TakesExamples(options)) {
    return fmt::format("a document is a feature of an Example in {}", path);
  }
  const Compression compression =
      options.compression.value_or(CompressionOfFile(path));
  // Gzip files written in members of whole records may have an index.
  if (compression != Compression::kNone && compression != Compression::kGzip) {
    return fmt::format("{} is compressed ({})", path,
                       CompressionName(compression));
  }
  if (options.recovery.on_corruption != OnCorruption::kFail) {
    return fmt::format("damage in {} is not to fail (on_corruption is {})",
                       path, OnCorruptionName(options.recovery.on_corruption));
  }
  PENSTOCK_ASSIGN_OR_RETURN(const std::optional<std::string> index,
                            FindIndex(files, path));
  if (index) return "";
  return fmt::format("{} has no index; `recordtool index` makes one", path);
}

// Fills in size_bytes and fingerprint.
Status Fingerprint(FileSystem& files, const DatasetShards& shards,
                   Source& source) {
  const OpenOptions& options = source.options;
  Fingerprinter hash;
  hash.Add(static_cast<uint64_t>(options.kind.value_or(FileKind{})))
      .Add(static_cast<uint64_t>(options.kind.has_value()))
      .Add(static_cast<uint64_t>(
          options.text_unit.value_or(TextUnit::kParagraph)))
      .Add(options.json_field);
  if (options.invalid_utf8 != NotUtf8::kFail) {
    hash.Add(static_cast<uint64_t>(options.invalid_utf8));
  }
  if (TakesExamples(options)) hash.Add(options.example_feature.value_or(""));
  // It changes which records there are.
  if (options.recovery.on_corruption != OnCorruption::kFail) {
    hash.Add(static_cast<uint64_t>(options.recovery.on_corruption));
  }
  for (size_t i = 0; i < source.paths.size(); ++i) {
    const std::string& path = source.paths[i];
    PENSTOCK_ASSIGN_OR_RETURN(const auto file, files.OpenForRead(path));
    PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, file->Stat());
    PENSTOCK_ASSIGN_OR_RETURN(const uint32_t sample,
                              SampleFile(*file, info.size_bytes));
    // Whoever takes what damage left knows that the manifest says otherwise.
    if (options.recovery.on_corruption == OnCorruption::kFail) {
      PENSTOCK_RETURN_IF_ERROR(
          shards.Check(i, {.size_bytes = info.size_bytes, .sample = sample}));
    }
    source.size_bytes += info.size_bytes;
    // Data that is moved to another folder is the same data.
    hash.Add(std::string_view(path).substr(path.rfind('/') + 1))
        .Add(info.size_bytes)
        .Add(uint64_t{sample})
        .Add(static_cast<uint64_t>(
            options.compression.value_or(CompressionOfFile(path))));
  }
  source.fingerprint = hash.Finish();
  return OkStatus();
}

Status NoRecords(const ReadStage& read) {
  return FailedPreconditionError(
      fmt::format("{}: there are no records", read.pattern));
}

Status CheckNotEmpty(FileSystem& files, const Source& source,
                     const ReadStage& read) {
  OpenOptions options = source.options;
  // The run itself will tell of it.
  options.recovery.on_skipped = [](const SkippedRegion&) {};
  options.recovery.total = nullptr;
  for (const std::string& path : source.paths) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::unique_ptr<RecordReader> reader,
                              OpenRecords(files, path, options));
    PENSTOCK_ASSIGN_OR_RETURN(const std::optional<RecordBlock> block,
                              reader->NextBlock());
    if (block) return OkStatus();
  }
  return NoRecords(read);
}

}  // namespace

StatusOr<Source> OpenSource(FileSystem& files, const ReadStage& read) {
  Source source;
  source.options = read.options;
  if (read.columns != nullptr) {
    PENSTOCK_ASSIGN_OR_RETURN(source.columns,
                              ColumnTable::Create(read.columns, read.pattern));
    source.size_bytes = source.columns->size_bytes();
    source.fingerprint = source.columns->fingerprint();
    return source;
  }
  if (read.megatron) {
    PENSTOCK_ASSIGN_OR_RETURN(source.megatron,
                              MegatronTokens::Open(files, read.pattern));
    if (source.megatron->sequences() == 0) return NoRecords(read);
    source.size_bytes = source.megatron->size_bytes();
    source.fingerprint = source.megatron->fingerprint();
    return source;
  }
  PENSTOCK_ASSIGN_OR_RETURN(const DatasetShards shards,
                            DatasetShards::Find(files, read.pattern));
  source.paths = shards.paths();
  if (!source.options.text_unit) {
    const bool is_one_text =
        source.paths.size() == 1 && !IsGlob(read.pattern) &&
        read.options.kind.value_or(
            KnownKindOfFile(source.paths[0]).value_or(FileKind::kText)) ==
            FileKind::kText;
    source.options.text_unit =
        is_one_text ? TextUnit::kParagraph : TextUnit::kFile;
  }
  for (const std::string& path : source.paths) {
    PENSTOCK_ASSIGN_OR_RETURN(source.why_sequential,
                              WhySequential(files, path, read.options));
    if (!source.why_sequential.empty()) break;
  }
  if (source.why_sequential.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(source.indexed,
                              RecordFiles::Open(files, source.paths));
    for (size_t i = 0; i < source.paths.size(); ++i) {
      const RecordIndex& index = source.indexed->index(i);
      PENSTOCK_RETURN_IF_ERROR(
          shards.Check(i, {.size_bytes = index.file().size_bytes,
                           .sample = index.file_sample(),
                           .records = index.records()}));
    }
    if (source.indexed->records() == 0) return NoRecords(read);
    source.size_bytes = source.indexed->size_bytes();
    source.fingerprint = source.indexed->Fingerprint();
    return source;
  }
  // First: a file that its manifest does not know need not be read.
  PENSTOCK_RETURN_IF_ERROR(Fingerprint(files, shards, source));
  PENSTOCK_RETURN_IF_ERROR(CheckNotEmpty(files, source, read));
  return source;
}

}  // namespace penstock
