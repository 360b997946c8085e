// Where the arranger stands: before reading (planned) or after it (streamed).
//
// Implementations form a star around this header: planned, streamed.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/build/batch_ring.h"
#include "pipeline/pipeline.h"
#include "pipeline/seek/seek_options.h"
#include "pipeline/state.h"
#include "pipeline/trace.h"

namespace penstock {

// A buffer and the most bytes it holds, for Explain().
struct ByteBudget {
  std::string what;
  uint64_t bytes = 0;
};

class Placement {
 public:
  virtual ~Placement() = default;

  // Goes on after `state`, which is of this graph and data. Before Run().
  // Errors:  kFailedPrecondition for a position that the run does not have.
  virtual Status Restore(const State& state) = 0;

  // The state after `step` steps of the run, without running it.
  // Errors:  those of SeekStep(); kUnimplemented where only reading tells.
  virtual StatusOr<State> StateAfter(uint64_t step, TaskQueue& tasks,
                                     const SeekOptions& options) const = 0;

  // The records of step `step` of the run, which is Batch::step.
  // Errors:  those of StateAfter().
  virtual StatusOr<StepTrace> Trace(uint64_t step, TaskQueue& tasks,
                                    const SeekOptions& options) const = 0;

  // The first `most` steps of the run, of which no batch is built. Streamed,
  // instead of Restore() and Run(), on all hosts.
  // Errors:  kCancelled once `stop` was requested; streamed, those of Run().
  virtual StatusOr<std::vector<PlannedStep>> WalkSteps(
      uint64_t most, const std::stop_token& stop) = 0;

  // Starts every batch of the run, in order, as far as `ring` takes them. Runs
  // on a thread of its own, which may wait; returns what became of all rows.
  // Errors:  kCancelled once `stop` was requested or the ring was cancelled.
  virtual StatusOr<PipelineCounts> Run(BatchRing& ring,
                                       const std::stop_token& stop) = 0;

  // As RoundSource has it. From any thread.
  virtual uint64_t records_read() const { return 0; }

  // Besides the batches that the ring holds.
  virtual std::vector<ByteBudget> Budgets() const = 0;
};

}  // namespace penstock
