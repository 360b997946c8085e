// What a pipeline's stages did in a run: ExplainAnalyze, after the fact.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace penstock {

struct StageProfile {
  std::string name;  // "plan", "read", "decode", "exchange", "build"
  // Of all threads together; what one thread does alone is no more than the
  // wall time.
  int64_t busy_ns = 0;
  bool one_thread = false;
  uint64_t rows = 0;
  uint64_t bytes = 0;  // of records read and decoded, of tensors built
};

// Of one host.
struct PipelineProfile {
  int threads = 0;      // that the other stages share
  int64_t wall_ns = 0;  // since the first Next()
  // Of the wall time: Next() waited for a batch; no batch was begun as those
  // that were built had not been taken.
  int64_t starved_ns = 0;
  int64_t blocked_ns = 0;
  std::vector<StageProfile> stages = {};  // in the order that rows take

  // Which stage, or "whoever takes the batches", sets the speed: the latter
  // where Next() waited for less than a twentieth of the time.
  std::string BoundBy() const;
  // A table of these for people.
  std::string Describe() const;
};

}  // namespace penstock
