// What a Pipeline is made of; compile.cc puts it together.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "pipeline/build/builder.h"
#include "pipeline/build/placement.h"
#include "pipeline/build/workers.h"
#include "pipeline/pipeline.h"
#include "pipeline/run/job.h"

namespace penstock {

// What Compile() found out, for those who ask.
struct PipelineFacts {
  bool planned = false;
  std::optional<uint64_t> steps_per_epoch = {};
  std::optional<uint64_t> records_per_epoch = {};
  std::string explanation = {};
};

// Batches the builder holds at most, however small they are.
inline constexpr size_t kBatchesForEachThread = 8;

class Pipeline::Impl {
 public:
  Impl(std::shared_ptr<const Job> job, std::unique_ptr<Placement> placement,
       std::unique_ptr<Workers> workers, uint64_t buffer_bytes,
       PipelineFacts facts);
  ~Impl();

  StatusOr<std::optional<Batch>> Next();
  Status Restore(const State& state);
  void Cancel();

  const Job& job() const { return *job_; }
  const PipelineFacts& facts() const { return facts_; }
  PipelineCounts counts() const;

 private:
  void Drive();

  const std::shared_ptr<const Job> job_;
  const PipelineFacts facts_;
  const std::unique_ptr<Placement> placement_;
  // Ends before the placement does: tasks borrow from it.
  const std::unique_ptr<Workers> workers_;
  Builder builder_;
  std::thread driver_;  // runs the placement; begins with the first Next()

  mutable std::mutex mutex_;
  PipelineCounts counts_;
  bool driver_ended_well_ = false;
};

}  // namespace penstock
