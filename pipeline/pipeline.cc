#include "pipeline/pipeline.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "formats/files/memory_guard.h"
#include "formats/files/start_thread.h"
#include "pipeline/compile/changes.h"
#include "pipeline/compile/handshake.h"
#include "pipeline/compile/pipeline_impl.h"
#include "pipeline/profile.h"
#include "pipeline/run/stage_accounts.h"

namespace penstock {

Pipeline::Impl::Impl(std::shared_ptr<const Job> job,
                     std::unique_ptr<TaskQueue> tasks,
                     std::unique_ptr<Placement> placement, Group* group,
                     uint64_t buffer_bytes, PipelineFacts facts)
    : job_(std::move(job)),
      facts_(std::move(facts)),
      group_(group),
      no_memory_(NoMemory("the pipeline", "go on")),
      left_(CancelledError(fmt::format("host {} left before the end of the run",
                                       job_->topology.host))),
      placement_(std::move(placement)),
      tasks_(std::move(tasks)),
      ring_(*tasks_, *job_->lane, buffer_bytes,
            kBatchesForEachThread * static_cast<size_t>(tasks_->threads())) {}

Pipeline::Impl::~Impl() {
  bool needed = true;  // by other hosts
  if (const std::lock_guard lock(mutex_);
      driver_.joinable() || driver_ended_well_) {
    needed = facts_.lockstep && !driver_ended_well_;
  }
  if (needed && group_ != nullptr) {
    group_->Fail(left_);
  }
  stop_.request_stop();
  ring_.Cancel();
  if (driver_.joinable()) driver_.join();
}

Status Pipeline::Impl::Fail(Status why) {
  if (group_ == nullptr) return why;
  // Others hear of it, too.
  if (job_->topology.hosts > 1 && group_->failed().ok()) {
    why = GuardMemory(why, [&] {
      return Annotate(why, fmt::format("host {}", job_->topology.host));
    });
  }
  group_->Fail(why);
  return group_->failed();
}

StatusOr<PipelineCounts> Pipeline::Impl::Run() {
  if (group_ != nullptr) {
    const Status same =
        CompareClaims({{"the state they go on from", start_, ""}}, *group_);
    if (!same.ok()) {
      // The same on every host.
      group_->Fail(same);
      return group_->failed();
    }
  }
  return placement_->Run(ring_, stop_.get_token());
}

void Pipeline::Impl::Drive() {
  StatusOr<PipelineCounts> counts =
      GuardMemory(no_memory_, [&] { return Run(); });
  if (counts.ok()) {
    const std::lock_guard lock(mutex_);
    counts_at_end_ = *counts;
    driver_ended_well_ = true;
  } else if (facts_.lockstep && !ring_.failed()) {
    // The others would wait for this one for ever. Of a batch that could not
    // be built Next() tells the cause.
    counts = Fail(counts.status());
  }
  ring_.Finish(counts.status());
}

Status Pipeline::Impl::Start() {
  job_->accounts->begin_ns = SteadyNs();
  PENSTOCK_ASSIGN_OR_RETURN(driver_, StartThread([this] { Drive(); }));
  return OkStatus();
}

StatusOr<std::optional<Batch>> Pipeline::Impl::Next() {
  if (!failed_.ok()) return failed_;
  if (!facts_.lockstep && group_ != nullptr) failed_ = group_->failed();
  if (failed_.ok() && !driver_.joinable()) failed_ = Start();
  if (!failed_.ok()) {
    failed_ = Fail(failed_);
    return failed_;
  }
  StatusOr<std::optional<Batch>> batch =
      GuardMemory(no_memory_, [&] { return Take(); });
  if (!batch.ok()) {
    failed_ = Fail(batch.status());
    return failed_;
  }
  return batch;
}

StatusOr<std::optional<Batch>> Pipeline::Impl::Take() {
  std::shared_ptr<BatchWork> work;
  {
    const StageTimer timer(job_->accounts->starved);
    PENSTOCK_ASSIGN_OR_RETURN(work, ring_.Pop());
  }
  const std::lock_guard lock(mutex_);
  if (work == nullptr) {
    counts_ = counts_at_end_;
    return std::optional<Batch>();
  }
  counts_ = work->batch.state_after.counts;
  cut_rows_ += work->cut_rows;
  return std::optional<Batch>(std::move(work->batch));
}

Status Pipeline::Impl::RestoreHere(const State& state) {
  if (driver_.joinable()) {
    return FailedPreconditionError(
        "Restore() must come before the first Next(): compile the dataset "
        "again and restore that");
  }
  PENSTOCK_ASSIGN_OR_RETURN(const State from, GoingOnFrom(*job_, state));
  PENSTOCK_RETURN_IF_ERROR(placement_->Restore(from));
  start_ = FormatState(from);
  const std::lock_guard lock(mutex_);
  counts_ = state.counts;
  return OkStatus();
}

Status Pipeline::Impl::Restore(const State& state) {
  const Status restored =
      GuardMemory(no_memory_, [&] { return RestoreHere(state); });
  return restored.ok() ? restored : Fail(restored);
}

StatusOr<State> Pipeline::Impl::StateAfter(
    uint64_t step, Callback<void(uint64_t, uint64_t)> progress) const {
  const SeekOptions options = {.stop = stop_.get_token(),
                               .progress = std::move(progress)};
  return GuardMemory(no_memory_, [&] {
    return placement_->StateAfter(step, *tasks_, options);
  });
}

StatusOr<std::vector<PlannedStep>> Pipeline::Impl::WalkSteps(
    std::optional<uint64_t> most) {
  if (!most && job_->stages.epochs == 0) {
    return InvalidArgumentError(
        "the run does not end: say how many steps it takes");
  }
  const auto walk = [&] {
    return placement_->WalkSteps(
        most.value_or(std::numeric_limits<uint64_t>::max()), stop_.get_token());
  };
  if (facts_.planned) return GuardMemory(no_memory_, walk);
  if (!failed_.ok()) return failed_;
  if (driver_.joinable() || !start_.empty()) {
    return FailedPreconditionError(
        "the steps of a streamed run are walked from its start: compile the "
        "dataset again and walk those of that");
  }
  StatusOr<std::vector<PlannedStep>> steps = GuardMemory(no_memory_, walk);
  if (!steps.ok()) {
    failed_ = Fail(steps.status());
    return failed_;
  }
  {
    const std::lock_guard lock(mutex_);
    driver_ended_well_ = true;
  }
  failed_ = FailedPreconditionError(
      "the steps of this streamed run were walked, for which its data was "
      "read: compile the dataset again");
  return steps;
}

StatusOr<StepTrace> Pipeline::Impl::Trace(
    uint64_t step, Callback<void(uint64_t, uint64_t)> progress) const {
  const SeekOptions options = {.stop = stop_.get_token(),
                               .progress = std::move(progress)};
  return GuardMemory(no_memory_,
                     [&] { return placement_->Trace(step, *tasks_, options); });
}

void Pipeline::Impl::Cancel() {
  Leave(CancelledError("the pipeline was cancelled"));
}

void Pipeline::Impl::Leave(const Status& why) {
  if (group_ != nullptr) group_->Fail(why);
  stop_.request_stop();
  ring_.Cancel();
}

PipelineProfile Pipeline::Impl::Profile() const {
  return job_->accounts->Profile(tasks_->threads(), facts_.in_sequence);
}

PipelineCounts Pipeline::Impl::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

Pipeline::Pipeline(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Pipeline::Pipeline(Pipeline&&) noexcept = default;
Pipeline& Pipeline::operator=(Pipeline&&) noexcept = default;
Pipeline::~Pipeline() = default;

StatusOr<std::optional<Batch>> Pipeline::Next() { return impl_->Next(); }
Status Pipeline::Restore(const State& state) { return impl_->Restore(state); }
StatusOr<State> Pipeline::StateAfter(
    uint64_t step, Callback<void(uint64_t, uint64_t)> progress) const {
  return impl_->StateAfter(step, std::move(progress));
}
StatusOr<std::vector<PlannedStep>> Pipeline::WalkSteps(
    std::optional<uint64_t> most) {
  return impl_->WalkSteps(most);
}
StatusOr<StepTrace> Pipeline::Trace(
    uint64_t step, Callback<void(uint64_t, uint64_t)> progress) const {
  return impl_->Trace(step, std::move(progress));
}
void Pipeline::Cancel() { impl_->Cancel(); }
void Pipeline::Leave(const Status& why) { impl_->Leave(why); }
const Contract& Pipeline::contract() const { return impl_->job().contract(); }
const Topology& Pipeline::topology() const { return impl_->job().topology; }
const std::vector<StatePart>& Pipeline::graph() const {
  return impl_->job().graph;
}
std::optional<uint64_t> Pipeline::steps_per_epoch() const {
  return impl_->facts().steps_per_epoch;
}
std::optional<uint64_t> Pipeline::records_per_epoch() const {
  return impl_->facts().records_per_epoch;
}
bool Pipeline::planned() const { return impl_->facts().planned; }
PipelineCounts Pipeline::counts() const { return impl_->counts(); }
uint64_t Pipeline::records_read() const { return impl_->records_read(); }
uint64_t Pipeline::cut_rows() const { return impl_->cut_rows(); }
std::string Pipeline::Explain() const { return impl_->facts().explanation; }
PipelineProfile Pipeline::Profile() const { return impl_->Profile(); }

}  // namespace penstock
