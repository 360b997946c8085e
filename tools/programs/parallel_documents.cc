#include "tools/programs/parallel_documents.h"

#include <algorithm>
#include <string>
#include <utility>

#include "formats/files/memory_guard.h"
#include "formats/records/recovery.h"

namespace penstock {
namespace {

uint64_t BytesOf(const StatusOr<DocumentChunk>& chunk) {
  if (!chunk.ok()) return 0;
  return chunk->text.size() +
         chunk->size() * (sizeof(size_t) + sizeof(DocumentChunk::Origin));
}

void Add(const InputLosses::Kind& some, InputLosses::Kind& all) {
  if (all.count == 0) all.first = some.first;
  all.count += some.count;
}

// Of readers that leave out nothing bad.
void Add(const InputLosses& some, InputLosses& all) {
  if (all.empty_files == 0) all.first_empty = some.first_empty;
  all.empty_files += some.empty_files;
  for (const auto& [what, kind] : some.left_out) Add(kind, all.left_out[what]);
  Add(some.repeated_fields, all.repeated_fields);
}

}  // namespace

ParallelDocuments::ParallelDocuments(FileSystem& files, const InputFiles& input,
                                     Corpus corpus, TaskQueue& tasks,
                                     ReadAheadLimits limits)
    : files_(files),
      corpus_(std::move(corpus)),
      tasks_(tasks),
      most_bytes_(limits.bytes) {
  const bool in_order =
      corpus_.bad_input.leave_out ||
      corpus_.open.recovery.on_corruption != OnCorruption::kFail;
  if (!in_order) most_ahead_ = static_cast<size_t>(tasks.threads()) - 1;
  if (most_ahead_ > 0) {
    MakeRuns(input, limits.together_bytes);
  } else {
    runs_.push_back(std::make_unique<Run>());
    runs_.back()->input = input;
  }
}

ParallelDocuments::~ParallelDocuments() {
  std::unique_lock lock(mutex_);
  stopped_ = true;
  changed_.wait(lock, [&] {
    return std::ranges::none_of(
        runs_, [](const auto& run) { return run != nullptr && run->is_read; });
  });
}

void ParallelDocuments::MakeRuns(const InputFiles& input,
                                 uint64_t together_bytes) {
  uint64_t bytes_before = 0;
  for (size_t f = 0; f < input.paths.size(); ++f) {
    if (runs_.empty() || runs_.back()->input.size_bytes >= together_bytes) {
      runs_.push_back(std::make_unique<Run>());
      runs_.back()->first_file = f;
      runs_.back()->bytes_before = bytes_before;
    }
    InputFiles& run = runs_.back()->input;
    run.paths.push_back(input.paths[f]);
    run.kinds.push_back(input.kinds[f]);
    run.text_unit = input.text_unit;
    if (const auto stream = input.streams.find(input.paths[f]);
        stream != input.streams.end()) {
      run.streams.insert(*stream);
    }
    // What cannot be told is told when the file is opened.
    const StatusOr<FileInfo> info = files_.Stat(input.paths[f]);
    const uint64_t size = info.ok() ? info->size_bytes : 0;
    run.size_bytes += size;
    bytes_before += size;
  }
}

ParallelDocuments::Chunk ParallelDocuments::NextOf(Run& run) {
  if (run.reader == nullptr) {
    run.reader = std::make_unique<DocumentReader>(files_, run.input, corpus_);
  }
  PENSTOCK_ASSIGN_OR_RETURN(DocumentChunk chunk, run.reader->Next());
  for (DocumentChunk::Origin& origin : chunk.origins) {
    origin.file += run.first_file;
  }
  chunk.input_bytes_done += run.bytes_before;
  return chunk;
}

ParallelDocuments::Chunk ParallelDocuments::ReadOne(Run& run) {
  const std::string first =
      run.input.paths.empty() ? "the inputs" : run.input.paths.front();
  return GuardMemory(NoMemory(first, "read it"), [&] { return NextOf(run); });
}

StatusOr<DocumentChunk> ParallelDocuments::Next() {
  while (turn_ < runs_.size()) {
    Run& run = *runs_[turn_];
    Chunk chunk = Take(run);
    if (most_ahead_ == 0) losses_ = run.reader->losses();
    if (!chunk.ok() || chunk->size() > 0) return chunk;
    if (most_ahead_ > 0) Add(run.reader->losses(), losses_);
    std::unique_ptr<Run> finished;
    const std::lock_guard lock(mutex_);
    finished = std::move(runs_[turn_++]);
  }
  return DocumentChunk();
}

ParallelDocuments::Chunk ParallelDocuments::Take(Run& run) {
  StartAhead();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !run.ready.empty() || !run.is_read; });
  if (!run.ready.empty()) {
    Chunk chunk = std::move(run.ready.front());
    run.ready.pop_front();
    ready_bytes_ -= BytesOf(chunk);
    return chunk;
  }
  run.is_read = true;
  lock.unlock();
  Chunk chunk = ReadOne(run);
  lock.lock();
  run.is_read = false;
  return chunk;
}

void ParallelDocuments::StartAhead() {
  std::vector<Run*> started;
  {
    const std::lock_guard lock(mutex_);
    const size_t end = std::min(runs_.size(), turn_ + 1 + most_ahead_);
    for (size_t r = turn_ + 1; r < end; ++r) {
      Run& run = *runs_[r];
      if (run.is_read || run.ended || ready_bytes_ >= most_bytes_) continue;
      run.is_read = true;
      started.push_back(&run);
    }
  }
  for (Run* const run : started) {
    tasks_.Run([this, run] { ReadAhead(*run); });
  }
}

void ParallelDocuments::ReadAhead(Run& run) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) {
      run.is_read = false;
      changed_.notify_all();
      return;
    }
  }
  Chunk chunk = ReadOne(run);
  std::unique_lock lock(mutex_);
  run.ended = !chunk.ok() || chunk->size() == 0;
  ready_bytes_ += BytesOf(chunk);
  run.ready.push_back(std::move(chunk));
  // From its turn on Next() reads it.
  const bool goes_on = !stopped_ && !run.ended && &run != runs_[turn_].get() &&
                       ready_bytes_ < most_bytes_;
  run.is_read = goes_on;
  changed_.notify_all();
  lock.unlock();  // where it does not go on, this may be gone from here on
  if (goes_on) tasks_.Run([this, &run] { ReadAhead(run); });
}

}  // namespace penstock
