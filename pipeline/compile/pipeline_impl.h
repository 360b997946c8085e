// What a Pipeline is made of; compile.cc puts it together.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "pipeline/build/batch_ring.h"
#include "pipeline/group.h"
#include "pipeline/pipeline.h"
#include "pipeline/run/job.h"
#include "pipeline/run/placement.h"
#include "pipeline/tasks/task_queue.h"

namespace penstock {

// What Compile() found out, for those who ask.
struct PipelineFacts {
  bool planned = false;
  // Hosts wait for each other at every round, so that batches before a failure
  // still come; otherwise nothing but Next() hears of one.
  bool lockstep = false;
  bool in_sequence = false;  // one thread reads records one after the other
  std::optional<uint64_t> steps_per_epoch = {};
  std::optional<uint64_t> records_per_epoch = {};
  std::string explanation = {};
};

// Batches the ring holds at most for each thread, however small they are.
inline constexpr size_t kBatchesForEachThread = 8;

class Pipeline::Impl {
 public:
  // `group` is borrowed; null for one host without a group.
  Impl(std::shared_ptr<const Job> job, std::unique_ptr<TaskQueue> tasks,
       std::unique_ptr<Placement> placement, Group* group,
       uint64_t buffer_bytes, PipelineFacts facts);
  ~Impl();

  StatusOr<std::optional<Batch>> Next();
  Status Restore(const State& state);
  StatusOr<State> StateAfter(uint64_t step,
                             Callback<void(uint64_t, uint64_t)> progress) const;
  StatusOr<StepTrace> Trace(uint64_t step,
                            Callback<void(uint64_t, uint64_t)> progress) const;
  StatusOr<std::vector<PlannedStep>> WalkSteps(std::optional<uint64_t> most);
  void Cancel();
  void Leave(const Status& why);

  const Job& job() const { return *job_; }
  const PipelineFacts& facts() const { return facts_; }
  PipelineProfile Profile() const;
  PipelineCounts counts() const;
  uint64_t records_read() const { return placement_->records_read(); }
  uint64_t cut_rows() const { return cut_rows_; }

 private:
  Status Start();
  void Drive();
  StatusOr<PipelineCounts> Run();
  StatusOr<std::optional<Batch>> Take();
  Status RestoreHere(const State& state);
  // Tells the others, and returns what the group failed for.
  Status Fail(Status why);

  const std::shared_ptr<const Job> job_;
  const PipelineFacts facts_;
  Group* const group_;
  const Status no_memory_;  // made while there is some
  const Status left_;       // what the others hear of a host that goes
  const std::unique_ptr<Placement> placement_;
  std::string start_;  // the state it goes on from, as text; empty without
  std::stop_source stop_;
  // Ends before the placement does: tasks borrow from it.
  const std::unique_ptr<TaskQueue> tasks_;
  BatchRing ring_;
  std::jthread driver_;  // runs the placement; begins with the first Next()
  Status failed_;        // what Next() ended with

  mutable std::mutex mutex_;
  PipelineCounts counts_;
  PipelineCounts counts_at_end_;
  bool driver_ended_well_ = false;
  std::atomic<uint64_t> cut_rows_ = 0;
};

}  // namespace penstock
