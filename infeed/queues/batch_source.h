// Where an infeed gets its batches: a pipeline, or a test that makes its own.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "formats/files/status_or.h"
#include "pipeline/batch.h"
#include "pipeline/contract.h"
#include "pipeline/pipeline.h"
#include "pipeline/profile.h"
#include "pipeline/state.h"
#include "pipeline/topology.h"

namespace penstock {

// One host's batches in order; what each call does is said of Pipeline.
//
// Threads: one at a time; Cancel(), Leave() and records_read() from any.
class BatchSource {
 public:
  virtual ~BatchSource() = default;

  virtual StatusOr<std::optional<Batch>> Next() = 0;
  virtual Status Restore(const State& /*state*/) {
    return UnimplementedError("this source of batches goes on from no state");
  }
  // The state of a run that takes its first step next.
  virtual State start() const { return {}; }
  virtual void Cancel() = 0;
  virtual void Leave(const Status& /*why*/) { Cancel(); }
  virtual const Contract& contract() const = 0;
  virtual const Topology& topology() const = 0;
  virtual PipelineCounts counts() const { return {}; }
  // Of a pipeline; nullopt of anything else. Any thread may ask.
  virtual std::optional<PipelineProfile> profile() const { return {}; }
  virtual uint64_t records_read() const { return 0; }
  virtual std::string Explain() const { return {}; }
};

std::unique_ptr<BatchSource> FromPipeline(Pipeline pipeline);

}  // namespace penstock
