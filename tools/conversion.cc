#include "tools/conversion.h"

#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <span>
#include <utility>

#include "formats/example_writer.h"
#include "formats/manifest.h"
#include "formats/status.h"
#include "tools/input_files.h"
#include "tools/progress.h"
#include "tools/shard_set.h"

namespace penstock {
namespace {

// Documents that go through the stages together, about this many bytes.
constexpr size_t kChunkBytes = 1 << 20;
constexpr uint32_t kMaxShards = 99999;

struct Chunk {
  struct Origin {
    size_t file;      // its place among the inputs
    uint64_t number;  // of the document in its file
  };

  std::string text;
  std::vector<size_t> ends;     // of each document in `text`
  std::vector<Origin> origins;  // of each document, for messages
  uint64_t input_bytes_done = 0;

  std::string_view document(size_t d) const {
    const size_t begin = d == 0 ? 0 : ends[d - 1];
    return std::string_view(text).substr(begin, ends[d] - begin);
  }
};

struct Serialized {
  std::string bytes;
  std::vector<size_t> ends;       // of each record in `bytes`
  std::vector<uint32_t> lengths;  // of each record: tokens, or bytes of text
  uint64_t documents = 0;
  uint64_t text_bytes = 0;
  uint64_t input_bytes_done = 0;
};

// The first error of any stage; stops the pipeline.
class FirstError {
 public:
  void Set(absl::Status status) {
    std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = std::move(status);
  }
  absl::Status Take() {
    std::lock_guard lock(mutex_);
    return status_;
  }

 private:
  std::mutex mutex_;
  absl::Status status_;
};

// Reads the documents of all files in order, a chunk at a time.
class ChunkReader {
 public:
  ChunkReader(FileSystem& files, const InputFiles& input, OpenOptions options)
      : files_(files), input_(input), options_(std::move(options)) {}

  // An empty chunk says that all files are read.
  absl::StatusOr<Chunk> Next() {
    Chunk chunk;
    while (chunk.text.size() < kChunkBytes) {
      if (reader_ == nullptr) {
        if (next_file_ == input_.paths.size()) break;
        PENSTOCK_RETURN_IF_ERROR(OpenNext());
      }
      PENSTOCK_ASSIGN_OR_RETURN(const std::optional<RecordBlock> block,
                                reader_->NextBlock());
      if (!block.has_value()) {
        finished_bytes_ += file_bytes_;
        file_bytes_ = read_bytes_ = 0;
        reader_.reset();
        continue;
      }
      for (size_t i = 0; i < block->records.size(); ++i) {
        chunk.text += block->records[i];
        chunk.ends.push_back(chunk.text.size());
        chunk.origins.push_back({next_file_ - 1, block->first + i});
        read_bytes_ += block->records[i].size();
      }
    }
    // Compressed files give more than they hold: an estimate, never too far.
    chunk.input_bytes_done =
        finished_bytes_ + std::min(read_bytes_, file_bytes_);
    return chunk;
  }

 private:
  absl::Status OpenNext() {
    const std::string& path = input_.paths[next_file_++];
    PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, files_.Stat(path));
    file_bytes_ = info.size_bytes;
    PENSTOCK_ASSIGN_OR_RETURN(reader_, OpenRecords(files_, path, options_));
    return absl::OkStatus();
  }

  FileSystem& files_;
  const InputFiles& input_;
  const OpenOptions options_;
  size_t next_file_ = 0;
  std::unique_ptr<RecordReader> reader_;
  uint64_t finished_bytes_ = 0;
  uint64_t file_bytes_ = 0;
  uint64_t read_bytes_ = 0;
};

absl::Status SerializeTokens(const ConversionOptions& options,
                             std::string_view document,
                             std::vector<TokenId>& ids, ExampleWriter& example,
                             Serialized& out) {
  ids.clear();
  PENSTOCK_RETURN_IF_ERROR(
      options.tokenizer->Encode(document, options.encode, ids));
  if (options.end_token.has_value()) ids.push_back(*options.end_token);
  const size_t piece =
      options.max_tokens == 0 ? std::max<size_t>(ids.size(), 1)
                              : options.max_tokens;
  size_t begin = 0;
  do {  // an empty document is still a record
    const size_t n = std::min(piece, ids.size() - begin);
    const std::vector<int64_t> values(ids.begin() + begin,
                                      ids.begin() + begin + n);
    example.SetInts("tokens", values);
    example.Finish(out.bytes);
    out.ends.push_back(out.bytes.size());
    out.lengths.push_back(static_cast<uint32_t>(n));
    begin += n;
  } while (begin < ids.size());
  return absl::OkStatus();
}

absl::StatusOr<Serialized> Serialize(const ConversionOptions& options,
                                     const InputFiles& input,
                                     const Chunk& chunk) {
  Serialized out;
  out.documents = chunk.ends.size();
  out.text_bytes = chunk.text.size();
  out.input_bytes_done = chunk.input_bytes_done;
  ExampleWriter example;
  std::vector<TokenId> ids;
  for (size_t d = 0; d < chunk.ends.size(); ++d) {
    const std::string_view document = chunk.document(d);
    if (options.tokenizer != nullptr) {
      const absl::Status status =
          SerializeTokens(options, document, ids, example, out);
      if (!status.ok()) {
        return Annotate(status, fmt::format("{}: document {}",
                                            input.paths[chunk.origins[d].file],
                                            chunk.origins[d].number));
      }
      continue;
    }
    example.SetBytes("text", document);
    example.Finish(out.bytes);
    out.ends.push_back(out.bytes.size());
    out.lengths.push_back(static_cast<uint32_t>(
        std::min<size_t>(document.size(),
                         std::numeric_limits<uint32_t>::max())));
  }
  return out;
}

absl::Status WriteChunk(const Serialized& chunk, ShardSet& shards,
                        ConversionResult& result) {
  size_t begin = 0;
  for (size_t r = 0; r < chunk.ends.size(); ++r) {
    PENSTOCK_RETURN_IF_ERROR(shards.Append(
        std::string_view(chunk.bytes).substr(begin, chunk.ends[r] - begin),
        chunk.lengths[r]));
    begin = chunk.ends[r];
    result.tokens += chunk.lengths[r];
  }
  result.documents += chunk.documents;
  result.records += chunk.ends.size();
  result.text_bytes += chunk.text_bytes;
  return absl::OkStatus();
}

// Read in order, serialize side by side, write in order.
absl::Status RunStages(FileSystem& files, const ConversionOptions& options,
                       const InputFiles& input, ShardSet& shards,
                       ConversionResult& result) {
  namespace tbb = oneapi::tbb;
  ChunkReader reader(files, input, options.open);
  Progress progress("datagen", input.size_bytes, options.quiet);
  FirstError error;
  tbb::task_arena arena(options.threads > 0 ? options.threads
                                            : tbb::task_arena::automatic);
  const auto live = static_cast<size_t>(arena.max_concurrency()) * 2;
  arena.execute([&] {
    tbb::parallel_pipeline(
        live,
        tbb::make_filter<void, std::shared_ptr<Chunk>>(
            tbb::filter_mode::serial_in_order,
            [&](tbb::flow_control& flow) -> std::shared_ptr<Chunk> {
              absl::StatusOr<Chunk> chunk = reader.Next();
              if (!chunk.ok()) error.Set(chunk.status());
              if (!error.Take().ok() || chunk->ends.empty()) {
                flow.stop();
                return nullptr;
              }
              return std::make_shared<Chunk>(*std::move(chunk));
            }) &
            tbb::make_filter<std::shared_ptr<Chunk>,
                             std::shared_ptr<Serialized>>(
                tbb::filter_mode::parallel,
                [&](const std::shared_ptr<Chunk>& chunk)
                    -> std::shared_ptr<Serialized> {
                  absl::StatusOr<Serialized> out = Serialize(options, input, *chunk);
                  if (!out.ok()) {
                    error.Set(out.status());
                    return nullptr;
                  }
                  return std::make_shared<Serialized>(*std::move(out));
                }) &
            tbb::make_filter<std::shared_ptr<Serialized>, void>(
                tbb::filter_mode::serial_in_order,
                [&](const std::shared_ptr<Serialized>& chunk) {
                  if (chunk == nullptr || !error.Take().ok()) return;
                  if (absl::Status status = WriteChunk(*chunk, shards, result);
                      !status.ok()) {
                    error.Set(std::move(status));
                    return;
                  }
                  progress.Update(chunk->input_bytes_done, result.records);
                }));
  });
  PENSTOCK_RETURN_IF_ERROR(error.Take());
  progress.Finish(input.size_bytes, result.records);
  return absl::OkStatus();
}

uint32_t ShardCount(const ConversionOptions& options, uint64_t input_bytes) {
  if (options.shards > 0) return options.shards;
  const uint64_t count =
      (input_bytes + options.shard_bytes - 1) / options.shard_bytes;
  return static_cast<uint32_t>(std::clamp<uint64_t>(count, 1, kMaxShards));
}

}  // namespace

absl::StatusOr<ConversionResult> ConvertCorpus(
    FileSystem& files, const ConversionOptions& options) {
  PENSTOCK_ASSIGN_OR_RETURN(
      const InputFiles input,
      FindInputFiles(files, options.inputs, options.open.kind));
  PENSTOCK_RETURN_IF_ERROR(files.CreateFolders(options.output));

  const bool tokenized = options.tokenizer != nullptr;
  const std::string length_name = tokenized ? "tokens" : "text";
  const std::string stem =
      fmt::format("{}/{}-{}", options.output, options.name, options.split);
  ConversionResult result;
  result.manifest = stem + ".manifest.json";
  result.skipped_files = input.skipped;
  if (files.Stat(result.manifest).ok()) {
    if (!options.overwrite) {
      return absl::AlreadyExistsError(fmt::format(
          "{}: this dataset is already there; choose another --output or "
          "--name, or give --overwrite",
          result.manifest));
    }
    PENSTOCK_RETURN_IF_ERROR(files.Remove(result.manifest));
    PENSTOCK_RETURN_IF_ERROR(files.SyncFolder(options.output));
  }

  const uint32_t shard_count = ShardCount(options, input.size_bytes);
  const std::string base = stem + ".tfrecord";
  result.pattern = fmt::format("{}@{}", base, shard_count);
  PENSTOCK_ASSIGN_OR_RETURN(
      const std::unique_ptr<ShardSet> shards,
      ShardSet::Create(files, base, shard_count, options.compression,
                       length_name));
  PENSTOCK_RETURN_IF_ERROR(RunStages(files, options, input, *shards, result));
  if (!tokenized) result.tokens = 0;
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<ShardSummary> summaries,
                            shards->Finish());

  Manifest manifest;
  manifest.name = options.name;
  manifest.split = options.split;
  manifest.compression = options.compression;
  manifest.features.push_back(
      {.name = length_name,
       .type = tokenized ? FeatureType::kInt64 : FeatureType::kBytes,
       .length = tokenized ? -1 : 1});
  if (tokenized) {
    manifest.tokenizer = options.tokenizer->Describe();
    manifest.tokenizer_fingerprint = options.tokenizer->Fingerprint();
  }
  for (const ShardSummary& shard : summaries) {
    manifest.shards.push_back({.path = shard.name,
                               .records = shard.records,
                               .size_bytes = shard.size_bytes,
                               .crc32c = shard.crc32c});
  }
  PENSTOCK_RETURN_IF_ERROR(SaveManifest(files, result.manifest, manifest));
  return result;
}

}  // namespace penstock
