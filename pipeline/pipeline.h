// A dataset at work on one host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/batch.h"
#include "pipeline/contract.h"
#include "pipeline/dataset.h"
#include "pipeline/state.h"
#include "pipeline/topology.h"

namespace penstock {

class Agreement;   // pipeline/agreement.h
class FileSystem;  // formats/files/file.h

struct CompileOptions {
  // Threads that build batches; 0 is one for each core.
  int threads = 0;
  // Bytes of batches that are built and not yet taken, at most; one batch is
  // always allowed. Streamed, a quarter as much again is read ahead.
  uint64_t buffer_bytes = 256ull << 20;
  // Needed for more than one host when the pipeline is streamed and lengths
  // matter. Borrowed; must outlive the pipeline. Null is the group of one host.
  // A pipeline that fails, is cancelled or goes before its end cancels it, so
  // that no other host waits for this one.
  Agreement* agreement = nullptr;
  // Borrowed. Null is LocalFiles().
  FileSystem* files = nullptr;
  // Runs the streamed placement even where the planned one is possible.
  bool force_streamed = false;
};

// What became of the rows of the global stream up to the batch handed out last,
// the same on every host. Counted from the start or from Restore().
struct PipelineCounts {
  uint64_t records = 0;   // rows of weight 1 in batches handed out, all hosts
  uint64_t pad_rows = 0;  // rows of weight 0, all hosts
  uint64_t dropped = 0;   // too long, or leftover under Leftover::kDrop
  uint64_t truncated = 0;
};

// Threads: Next() from one at a time; Cancel() from any.
class Pipeline {
 public:
  Pipeline(Pipeline&&) noexcept;
  Pipeline& operator=(Pipeline&&) noexcept;
  ~Pipeline();

  // The next batch in order; nullopt after the last step of the last epoch. All
  // hosts give the same number of batches, and shape by shape the same.
  // Errors:  those of reading, parsing and tokenizing, for ever after;
  //          kCancelled after Cancel().
  StatusOr<std::optional<Batch>> Next();

  // Goes on from `state` instead of the start. Before the first Next().
  // Errors:  kFailedPrecondition where the state is of another dataset or
  //          graph; the message says which.
  Status Restore(const State& state);

  // Ends every wait inside. Never blocks.
  void Cancel();

  const Contract& contract() const;
  const Topology& topology() const;
  // Hash of the data, the graph and the shards: what a state is tied to.
  uint64_t Fingerprint() const;
  // Steps of one epoch when that is known before reading: planned only.
  std::optional<uint64_t> steps_per_epoch() const;
  // Records of one epoch when known: indexed sources only.
  std::optional<uint64_t> records_per_epoch() const;
  bool planned() const;
  PipelineCounts counts() const;

  // For people: planned or streamed and why, the stages, shapes, steps, waste,
  // rows of each host, and the byte budget of every buffer with their sum.
  std::string Explain() const;

 private:
  class Impl;
  explicit Pipeline(std::unique_ptr<Impl> impl);
  friend StatusOr<Pipeline> Compile(const Dataset&, const Topology&,
                                    CompileOptions);

  std::unique_ptr<Impl> impl_;
};

// Checks the graph, opens the data and chooses planned or streamed.
// Errors:  kInvalidArgument for a graph that cannot work, saying what to
//          change; those of opening files and indexes; kFailedPrecondition for
//          zero records.
StatusOr<Pipeline> Compile(const Dataset& dataset, const Topology& topology,
                           CompileOptions options = {});

}  // namespace penstock
