#include "tools/datagen/conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "formats/datasets/manifest.h"
#include "formats/example/example_writer.h"
#include "formats/files/status_or.h"
#include "pipeline/tasks/task_queue.h"
#include "tools/datagen/dataset_output.h"
#include "tools/datagen/own_output.h"
#include "tools/datagen/shard_set.h"
#include "tools/programs/input_files.h"
#include "tools/programs/losses_report.h"
#include "tools/programs/parallel_documents.h"
#include "tools/programs/progress.h"

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

// A chunk on its way through the workers.
class Slot {
 public:
  void Set(StatusOr<Serialized> result) {
    const std::lock_guard lock(mutex_);
    result_ = std::move(result);
    ready_.notify_one();
  }
  StatusOr<Serialized> Take() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [&] { return result_.has_value(); });
    return *std::move(result_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::optional<StatusOr<Serialized>> result_;
};

Status SerializeTokens(const ConversionOptions& options,
                       std::string_view document, std::vector<TokenId>& ids,
                       ExampleWriter& example, Serialized& out) {
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
    example.SetInts("tokens", values, options.token_encoding);
    example.Finish(out.bytes);
    out.ends.push_back(out.bytes.size());
    out.lengths.push_back(static_cast<uint32_t>(n));
    begin += n;
  } while (begin < ids.size());
  return OkStatus();
}

StatusOr<Serialized> Serialize(const ConversionOptions& options,
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
      const Status status =
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

Status WriteChunk(const Serialized& chunk, ShardSet& shards,
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
  return OkStatus();
}

// Writes in order on this thread; files are read and chunks are serialized side
// by side.
Status RunStages(FileSystem& files, const ConversionOptions& options,
                 const InputFiles& input, TaskQueue& tasks, ShardSet& shards,
                 ConversionResult& result) {
  ParallelDocuments reader(files, input, options.corpus, tasks);
  Progress progress("datagen", input.size_bytes, options.quiet);
  const auto most = static_cast<size_t>(tasks.threads()) * 2;
  std::deque<std::shared_ptr<Slot>> started;
  for (bool more = true; more || !started.empty();) {
    if (options.stop.stop_requested()) {
      return CancelledError("stopped; nothing was written");
    }
    if (more && started.size() < most) {
      PENSTOCK_ASSIGN_OR_RETURN(DocumentChunk chunk, reader.Next());
      more = chunk.size() > 0;
      if (!more) {
        result.losses = reader.losses();
        continue;
      }
      started.push_back(std::make_shared<Slot>());
      tasks.Run(
          [&options, &input, slot = started.back(),
           chunk = std::make_shared<const DocumentChunk>(std::move(chunk))] {
            slot->Set(Serialize(options, input, *chunk));
          });
      continue;
    }
    PENSTOCK_ASSIGN_OR_RETURN(const Serialized chunk, started.front()->Take());
    started.pop_front();
    PENSTOCK_RETURN_IF_ERROR(WriteChunk(chunk, shards, result));
    progress.Update(chunk.input_bytes_done, result.records);
  }
  progress.Finish(input.size_bytes, result.records);
  return options.allow_empty || result.documents > 0
             ? OkStatus()
             : NoDocument(input, result.losses,
                          "; --allow-empty makes an empty dataset");
}

Status CheckEncoding(const ConversionOptions& options) {
  const int number_bytes = NumberBytes(options.token_encoding);
  if (number_bytes == 0) return OkStatus();
  if (options.tokenizer == nullptr) {
    return InvalidArgumentError(
        "a token encoding needs a tokenizer: the text itself is written");
  }
  const uint64_t ids = options.tokenizer->vocabulary_size();
  if (ids <= uint64_t{1} << (8 * number_bytes)) return OkStatus();
  return InvalidArgumentError(fmt::format(
      "the vocabulary has {} ids, more than {} can hold; choose uint32 or "
      "int64",
      ids, FeatureEncodingName(options.token_encoding)));
}

uint32_t ShardCount(const ConversionOptions& options, uint64_t input_bytes) {
  if (options.shards > 0) return options.shards;
  const uint64_t count =
      (input_bytes + options.shard_bytes - 1) / options.shard_bytes;
  return static_cast<uint32_t>(std::clamp<uint64_t>(count, 1, kMaxShards));
}

}  // namespace

StatusOr<ConversionResult> ConvertCorpus(FileSystem& files,
                                         const ConversionOptions& options) {
  PENSTOCK_RETURN_IF_ERROR(CheckEncoding(options));
  ConversionResult result;
  PENSTOCK_ASSIGN_OR_RETURN(
      result.input,
      FindInputFiles(files, options.inputs, options.corpus.choices));
  const InputFiles& input = result.input;
  if (!options.allow_own_output) {
    PENSTOCK_RETURN_IF_ERROR(RefuseOwnOutput(files, input, options.output));
  }
  if (options.on_found) options.on_found(input);
  PENSTOCK_RETURN_IF_ERROR(files.CreateFolders(options.output));

  const bool tokenized = options.tokenizer != nullptr;
  const std::string length_name = tokenized ? "tokens" : "text";
  const std::string stem =
      fmt::format("{}/{}-{}", options.output, options.name, options.split);
  result.manifest = stem + ".manifest.json";
  PENSTOCK_ASSIGN_OR_RETURN(
      const std::unique_ptr<DatasetOutput> output,
      DatasetOutput::Open(files, options.output, options.name, options.split,
                          {.overwrite = options.overwrite,
                           .tfds = options.tfds,
                           .on_notice = options.on_notice}));

  const uint32_t shard_count = ShardCount(options, input.size_bytes);
  result.pattern = fmt::format("{}.tfrecord@{}", stem, shard_count);
  PENSTOCK_ASSIGN_OR_RETURN(const std::unique_ptr<TaskQueue> tasks,
                            TaskQueue::Create(options.threads));
  const GzipMembers members = {
      .run_task =
          [&](std::function<void()> task) { tasks->Run(std::move(task)); },
      // Shared out over the shards, which fill side by side.
      .most_ahead =
          1 + 2 * static_cast<size_t>(tasks->threads()) / shard_count};
  PENSTOCK_ASSIGN_OR_RETURN(
      const std::unique_ptr<ShardSet> shards,
      ShardSet::Create(files, output->shard_base(), shard_count,
                       {.compression = options.compression, .gzip = members},
                       length_name));
  PENSTOCK_RETURN_IF_ERROR(
      RunStages(files, options, input, *tasks, *shards, result));
  if (!tokenized) result.tokens = 0;
  Manifest manifest;
  manifest.tool_version = PENSTOCK_VERSION;
  manifest.dataset = fmt::format("{}-{}", options.name, options.split);
  manifest.kind = tokenized ? DatasetKind::kTokenized : DatasetKind::kRaw;
  if (tokenized) {
    manifest.tokenizer = {options.tokenizer->Describe(),
                          options.tokenizer->Fingerprint()};
  }
  const bool one_value =
      !tokenized || options.token_encoding != FeatureEncoding::kPlain;
  manifest.features.push_back(
      {.name = length_name,
       .type = one_value ? FeatureType::kBytes : FeatureType::kInt64,
       .length = one_value ? 1 : ManifestFeature::kAnyLength,
       .encoding = options.token_encoding});
  manifest.skipped = {.places = result.losses.places,
                      .bytes = result.losses.bytes,
                      .first = result.losses.named};
  PENSTOCK_ASSIGN_OR_RETURN(manifest.shards, shards->Finish(*tasks));
  if (!options.tfds) {
    result.no_tfds = "--no-tfds was given";
  } else if (options.compression != Compression::kNone) {
    result.no_tfds = "TFDS reads no compressed shards";
  }
  PENSTOCK_ASSIGN_OR_RETURN(
      const std::string no_tfds,
      output->Commit(manifest, /*tfds=*/result.no_tfds.empty()));
  if (result.no_tfds.empty()) result.no_tfds = no_tfds;
  return result;
}

}  // namespace penstock
