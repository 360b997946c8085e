#include "tools/conversion.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <span>
#include <utility>

#include "formats/example_writer.h"
#include "formats/manifest.h"
#include "formats/record_index.h"
#include "formats/status.h"
#include "tools/document_chunks.h"
#include "tools/input_files.h"
#include "tools/progress.h"
#include "tools/shard_set.h"

namespace penstock {
namespace {

constexpr uint32_t kMaxShards = 99999;

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

absl::Status SerializeTokens(const ConversionOptions& options,
                             std::string_view document,
                             std::vector<TokenId>& ids, ExampleWriter& example,
                             Serialized& out) {
  ids.clear();
  PENSTOCK_RETURN_IF_ERROR(
      options.tokenizer->Encode(document, options.encode, ids));
  if (options.end_token.has_value()) ids.push_back(*options.end_token);
  const size_t piece = options.max_tokens == 0 ? std::max<size_t>(ids.size(), 1)
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
                                     const DocumentChunk& chunk) {
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
    out.lengths.push_back(static_cast<uint32_t>(std::min<size_t>(
        document.size(), std::numeric_limits<uint32_t>::max())));
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
  DocumentReader reader(files, input, options.open);
  Progress progress("datagen", input.size_bytes, options.quiet);
  FirstError error;
  tbb::task_arena arena(options.threads > 0 ? options.threads
                                            : tbb::task_arena::automatic);
  const auto live = static_cast<size_t>(arena.max_concurrency()) * 2;
  arena.execute([&] {
    tbb::parallel_pipeline(
        live,
        tbb::make_filter<void, std::shared_ptr<DocumentChunk>>(
            tbb::filter_mode::serial_in_order,
            [&](tbb::flow_control& flow) -> std::shared_ptr<DocumentChunk> {
              absl::StatusOr<DocumentChunk> chunk = reader.Next();
              if (!chunk.ok()) error.Set(chunk.status());
              if (!error.Take().ok() || chunk->ends.empty()) {
                flow.stop();
                return nullptr;
              }
              return std::make_shared<DocumentChunk>(*std::move(chunk));
            }) &
            tbb::make_filter<std::shared_ptr<DocumentChunk>,
                             std::shared_ptr<Serialized>>(
                tbb::filter_mode::parallel,
                [&](const std::shared_ptr<DocumentChunk>& chunk)
                    -> std::shared_ptr<Serialized> {
                  absl::StatusOr<Serialized> out =
                      Serialize(options, input, *chunk);
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

// The manifest goes first: without it nobody takes what is left for a dataset.
absl::Status RemoveDataset(FileSystem& files, const std::string& folder,
                           const std::string& manifest_path) {
  PENSTOCK_ASSIGN_OR_RETURN(const Manifest manifest,
                            Manifest::Load(files, manifest_path));
  PENSTOCK_RETURN_IF_ERROR(files.Remove(manifest_path));
  PENSTOCK_RETURN_IF_ERROR(files.SyncFolder(folder));
  for (const ManifestShard& shard : manifest.shards) {
    const std::string path = folder + "/" + shard.file;
    for (const std::string& name : {path, IndexPath(path)}) {
      const absl::Status status = files.Remove(name);
      if (!status.ok() && !absl::IsNotFound(status)) return status;
    }
  }
  return files.SyncFolder(folder);
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
    PENSTOCK_RETURN_IF_ERROR(
        RemoveDataset(files, options.output, result.manifest));
  }

  const uint32_t shard_count = ShardCount(options, input.size_bytes);
  const std::string base = stem + ".tfrecord";
  result.pattern = fmt::format("{}@{}", base, shard_count);
  PENSTOCK_ASSIGN_OR_RETURN(const std::unique_ptr<ShardSet> shards,
                            ShardSet::Create(files, base, shard_count,
                                             options.compression, length_name));
  PENSTOCK_RETURN_IF_ERROR(RunStages(files, options, input, *shards, result));
  if (!tokenized) result.tokens = 0;
  Manifest manifest;
  manifest.tool_version = PENSTOCK_VERSION;
  manifest.dataset = fmt::format("{}-{}", options.name, options.split);
  manifest.kind = tokenized ? DatasetKind::kTokenized : DatasetKind::kRaw;
  if (tokenized) {
    manifest.tokenizer = {options.tokenizer->Describe(),
                          options.tokenizer->Fingerprint()};
  }
  manifest.features.push_back(
      {.name = length_name,
       .type = tokenized ? FeatureType::kInt64 : FeatureType::kBytes,
       .length = tokenized ? ManifestFeature::kAnyLength : 1});
  PENSTOCK_ASSIGN_OR_RETURN(manifest.shards, shards->Finish());
  PENSTOCK_RETURN_IF_ERROR(manifest.Save(files, result.manifest));
  return result;
}

}  // namespace penstock
