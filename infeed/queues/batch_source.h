// Where an infeed gets its batches: a pipeline, or a test that makes its own.
#pragma once

#include <memory>
#include <optional>

#include "formats/files/status_or.h"
#include "pipeline/batch.h"
#include "pipeline/contract.h"
#include "pipeline/pipeline.h"
#include "pipeline/profile.h"
#include "pipeline/topology.h"

namespace penstock {

// One host's batches in order; what each call does is said of Pipeline.
//
// Threads: one at a time; Cancel() from any.
class BatchSource {
 public:
  virtual ~BatchSource() = default;

  virtual StatusOr<std::optional<Batch>> Next() = 0;
  virtual void Cancel() = 0;
  virtual const Contract& contract() const = 0;
  virtual const Topology& topology() const = 0;
  virtual PipelineCounts counts() const { return {}; }
  // Of a pipeline; nullopt of anything else. Any thread may ask.
  virtual std::optional<PipelineProfile> profile() const { return {}; }
};

std::unique_ptr<BatchSource> FromPipeline(Pipeline pipeline);

}  // namespace penstock
