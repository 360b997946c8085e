// Where the arranger stands: before reading (planned) or after it (streamed).
//
// Implementations form a star around this header: planned, streamed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/build/builder.h"
#include "pipeline/state.h"

namespace penstock {

// A buffer and the most bytes it holds, for Explain().
struct ByteBudget {
  std::string what;
  uint64_t bytes = 0;
};

class Placement {
 public:
  virtual ~Placement() = default;

  // Goes on after `state`, which is of this job. Before Run().
  // Errors:  kFailedPrecondition for a position that the run does not have.
  virtual Status Restore(const State& state) = 0;

  // Starts every batch of the run, in order, as far as `builder` takes them.
  // Runs on a thread of its own, which may wait; returns what was left out.
  virtual StatusOr<LeftOut> Run(Builder& builder) = 0;

  // Ends every wait inside Run(), now and later. Never blocks.
  virtual void Cancel() = 0;

  // Besides the batches that the builder holds.
  virtual std::vector<ByteBudget> Budgets() const = 0;
};

}  // namespace penstock
