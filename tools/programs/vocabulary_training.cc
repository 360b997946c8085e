#include "tools/programs/vocabulary_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "formats/files/atomic_file.h"
#include "formats/files/status_or.h"
#include "formats/streams/file_kind.h"
#include "pipeline/tasks/task_queue.h"
#include "tokenizer/patterns/patterns.h"
#include "tokenizer/training/write_tokenizer_json.h"
#include "tokenizer/vocabulary/vocabulary.h"
#include "tools/programs/document_chunks.h"
#include "tools/programs/input_files.h"
#include "tools/programs/leftover_files.h"
#include "tools/programs/losses_report.h"
#include "tools/programs/output.h"
#include "tools/programs/parallel_documents.h"
#include "tools/programs/program.h"
#include "tools/programs/progress.h"
#include "tools/programs/skipped_report.h"

namespace penstock {
namespace {

// Chunks on their way through the workers: how many, and what went wrong first.
class Counting {
 public:
  explicit Counting(size_t most) : most_(most) {}

  // Waits until another chunk may be started.
  Status Start() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return running_ < most_; });
    if (status_.ok()) ++running_;
    return status_;
  }
  void End(const Status& status) {
    const std::lock_guard lock(mutex_);
    --running_;
    if (status_.ok()) status_ = status;
    changed_.notify_one();
  }
  // Waits for all that were started.
  Status Wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return running_ == 0; });
    return status_;
  }

 private:
  const size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t running_ = 0;
  Status status_;
};

Status CountChunk(const PreTokenizer& pretokenizer, const DocumentChunk& chunk,
                  PieceCounts& counts) {
  std::vector<std::string_view> documents;
  for (size_t d = 0; d < chunk.size(); ++d) {
    documents.push_back(chunk.document(d));
  }
  return counts.Add(pretokenizer, documents);
}

// Files are read and chunks are counted side by side.
Status CountCorpus(FileSystem& files, const VocabularyOptions& options,
                   const InputFiles& input, const PreTokenizer& pretokenizer,
                   PieceCounts& counts, VocabularyResult& result) {
  Progress progress("counting words", input.size_bytes, options.quiet);
  PENSTOCK_ASSIGN_OR_RETURN(std::unique_ptr<TaskQueue> made,
                            TaskQueue::Create(options.threads));
  Counting counting(static_cast<size_t>(made->threads()) * 2);
  // Ends before what its tasks use.
  const std::unique_ptr<TaskQueue> tasks = std::move(made);
  ParallelDocuments reader(files, input, options.corpus, *tasks);
  while (true) {
    PENSTOCK_ASSIGN_OR_RETURN(DocumentChunk chunk, reader.Next());
    if (chunk.size() == 0) break;
    result.documents += chunk.size();
    result.text_bytes += chunk.text.size();
    progress.Update(chunk.input_bytes_done, result.documents);
    PENSTOCK_RETURN_IF_ERROR(counting.Start());
    tasks->Run(
        [&, chunk = std::make_shared<const DocumentChunk>(std::move(chunk))] {
          counting.End(CountChunk(pretokenizer, *chunk, counts));
        });
  }
  PENSTOCK_RETURN_IF_ERROR(counting.Wait());
  result.losses = reader.losses();
  progress.Finish(input.size_bytes, result.documents);
  return OkStatus();
}

}  // namespace

StatusOr<VocabularyResult> TrainVocabulary(FileSystem& files,
                                           const VocabularyOptions& options) {
  const std::string_view regex = RegexByName(options.pattern);
  if (regex.empty()) {
    return InvalidArgumentError(
        fmt::format("pattern \"{}\" is not known; use one of {}",
                    options.pattern, fmt::join(TrainingPatternNames(), ", ")));
  }
  PENSTOCK_RETURN_IF_ERROR(CheckTraining(options.training));
  // By which LoadTokenizer knows what it is.
  if (!options.output.ends_with(".json") ||
      options.output.ends_with("vocab.json")) {
    return InvalidArgumentError(fmt::format(
        "{}: the name of a tokenizer.json ends in .json, but not in vocab.json",
        options.output));
  }
  if (!options.overwrite && files.Stat(options.output).ok()) {
    return AlreadyExistsError(
        fmt::format("{}: this file is already there; choose another name, or "
                    "give --overwrite",
                    options.output));
  }
  VocabularyResult result;
  PENSTOCK_ASSIGN_OR_RETURN(
      result.input,
      FindInputFiles(files, options.inputs, options.corpus.choices));
  if (!options.quiet)
    PrintFound("counting words", result.input, options.corpus);

  PieceCounts counts(options.memory_bytes / kTrainingBytesPerByte);
  const auto pretokenizer = PreTokenizerByRegex(regex);
  PENSTOCK_RETURN_IF_ERROR(
      CountCorpus(files, options, result.input, *pretokenizer, counts, result));
  if (result.documents == 0) {
    return NoDocument(result.input, result.losses,
                      ", so there is nothing to learn from");
  }
  result.words = counts.pieces();

  Progress progress("merging", options.training.vocabulary_size, options.quiet,
                    ProgressUnit::kTokens);
  PENSTOCK_ASSIGN_OR_RETURN(
      const LearnedBpe learned,
      TrainBpe(counts, options.training,
               [&](size_t done, size_t) { progress.Update(done, 0); }));
  if (learned.tokens.size() == options.training.vocabulary_size) {
    progress.Finish(learned.tokens.size(), 0);
  }
  result.tokens = learned.tokens.size();
  PENSTOCK_RETURN_IF_ERROR(WriteFileAtomically(files, options.output,
                                               TokenizerJson(learned, regex)));
  return result;
}

void AddTrainingOptions(ArgumentGroup& training, ArgumentGroup& output,
                        VocabularyOptions& options) {
  training
      .Number("--size", options.training.vocabulary_size, "N",
              "How many tokens: special ones, 256 bytes and merges")
      .Between(256, size_t{kMaxTokenId} + 1);
  training
      .Number("--min-frequency", options.training.min_frequency, "N",
              "How often two neighbours must occur to become a token; 0 is 1")
      .AtLeast(0);
  training
      .Option("--special-token", options.training.special_tokens, "TOKEN",
              "A token such as '<|endoftext|>'; once for each, ids from 0")
      .OneEach();
  training.Choice("--words", options.pattern, TrainingPatternNames(),
                  "How text is cut before merging: as gpt2, cl100k or o200k");
  training
      .Bytes("--memory", options.memory_bytes,
             "For the corpus' different words, such as 16GiB; a corpus with "
             "more of them is refused")
      .AtLeast(1);
  output.Flag("--overwrite", options.overwrite,
              "Replaces a file of the same name");
}

Status RunVocabularyTraining(VocabularyOptions options,
                             const CorpusOptions& corpus) {
  ClearLeftovers("training", options.output);
  SkippedReport skipped("vocabulary");
  PENSTOCK_ASSIGN_OR_RETURN(options.corpus, corpus.ToCorpus(skipped));
  if (!options.corpus.choices.kind) {
    for (std::string& input : options.inputs) {
      if (input == "-") input = "text:-";
    }
  }
  PENSTOCK_ASSIGN_OR_RETURN(const VocabularyResult result,
                            TrainVocabulary(LocalFiles(), options));
  skipped.Finish();
  PrintLosses("vocabulary", result.input, result.losses);
  const std::string unit = UnitText(result.input, options.corpus);
  Print("{} documents{}, {} of text, {} different words -> {} tokens{}\n",
        WithCommas(result.documents),
        unit.empty() ? "" : fmt::format(" (--unit {})", unit),
        HumanBytes(static_cast<double>(result.text_bytes)),
        WithCommas(result.words), WithCommas(result.tokens),
        result.tokens < options.training.vocabulary_size
            ? ": no more pairs are frequent enough"
            : "");
  Print("tokenizer {}\n", options.output);
  return OkStatus();
}

}  // namespace penstock
