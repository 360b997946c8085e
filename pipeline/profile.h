// What a pipeline's stages did in a run: ExplainAnalyze, after the fact.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace penstock {

struct StageProfile {
  // "plan", "read", "decode", "tokenize", "exchange", "build"
  std::string name;
  // Of all threads together; what one thread does alone is no more than the
  // wall time.
  int64_t busy_ns = 0;
  bool one_thread = false;
  uint64_t rows = 0;
  // Of records read and decoded, of text, of tensors built.
  uint64_t bytes = 0;
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

  // Whether Next() waited for a twentieth of the time or more.
  bool waited() const;
  // Which stage, or "whoever takes the batches", sets the speed: the latter
  // where Next() did not wait so long.
  std::string BoundBy() const;
  // A table of these for people.
  std::string Describe() const;
};

}  // namespace penstock
