// The documents of many files in order, while later files are read already.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "pipeline/tasks/task_queue.h"
#include "tools/programs/document_chunks.h"
#include "tools/programs/input_files.h"

namespace penstock {

struct ReadAheadLimits {
  // What may be read before its turn, of all files together. A file is read
  // side by side with the one before it as far as this goes.
  uint64_t bytes = 256 << 20;
  // Small files next to each other are read as one, up to this.
  uint64_t together_bytes = 4 << 20;
};

// Gives what a DocumentReader gives, in the same order. As many files as there
// are threads are read at once, one of them by the thread that calls Next().
//
// Where something bad may be left out they are read one after the other, and it
// is told of on that thread: how much may be is counted over all of them.
//
// Threads: one at a time.
// Memory:  the bytes of the limits, and of each open file a reader and a chunk.
class ParallelDocuments {
 public:
  // `input` and `tasks` must outlive this.
  ParallelDocuments(FileSystem& files, const InputFiles& input, Corpus corpus,
                    TaskQueue& tasks, ReadAheadLimits limits = {});
  // Waits for the chunks that are being read.
  ~ParallelDocuments();
  ParallelDocuments(const ParallelDocuments&) = delete;
  ParallelDocuments& operator=(const ParallelDocuments&) = delete;

  // A chunk without documents says that all files are read.
  StatusOr<DocumentChunk> Next();

  // Of what was given so far.
  const InputLosses& losses() const { return losses_; }

 private:
  using Chunk = StatusOr<DocumentChunk>;
  // Files that one reader reads.
  struct Run {
    InputFiles input;
    size_t first_file = 0;
    uint64_t bytes_before = 0;  // of the files before it, as stored
    std::unique_ptr<DocumentReader> reader;  // of whom reads
    // Guarded by mutex_.
    std::deque<Chunk> ready;
    bool is_read = false;  // by a task, or by Next()
    bool ended = false;
  };

  void MakeRuns(const InputFiles& input, uint64_t together_bytes);
  Chunk ReadOne(Run& run);
  Chunk NextOf(Run& run);
  // The next of the run whose turn it is.
  Chunk Take(Run& run);
  void StartAhead();
  void ReadAhead(Run& run);

  FileSystem& files_;
  const Corpus corpus_;
  TaskQueue& tasks_;
  const uint64_t most_bytes_;
  size_t most_ahead_ = 0;  // runs
  std::vector<std::unique_ptr<Run>> runs_;
  InputLosses losses_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  size_t turn_ = 0;  // the run that Next() gives from
  uint64_t ready_bytes_ = 0;
  bool stopped_ = false;
};

}  // namespace penstock
