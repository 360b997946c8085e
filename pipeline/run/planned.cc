#include "pipeline/run/planned.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

// What building one batch needs besides its assignment. Tasks share it.
class PlannedBuild {
 public:
  PlannedBuild(std::shared_ptr<const Job> job,
               std::shared_ptr<const RecordFiles> files, LengthTable lengths)
      : job_(std::move(job)),
        files_(std::move(files)),
        lengths_(std::move(lengths)) {}

  const Job& job() const { return *job_; }
  const RecordFiles& files() const { return *files_; }

  // `ids` are this host's rows of the assignment.
  StatusOr<Batch> Build(size_t shape, const std::vector<uint64_t>& ids) const;

 private:
  // Memory that one build leaves for the next.
  struct Scratch {
    GatheredRecords gathered;
    Examples examples;
    std::vector<uint64_t> real_ids;
    std::vector<RowRef> rows;
  };

  Status CheckLengths(const Scratch& scratch) const;
  std::unique_ptr<Scratch> Borrow() const;
  void Return(std::unique_ptr<Scratch> scratch) const;

  const std::shared_ptr<const Job> job_;
  const std::shared_ptr<const RecordFiles> files_;
  const LengthTable lengths_;

  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Scratch>> unused_;
};

StatusOr<Batch> PlannedBuild::Build(size_t shape,
                                    const std::vector<uint64_t>& ids) const {
  std::unique_ptr<Scratch> scratch = Borrow();
  scratch->real_ids.clear();
  scratch->rows.clear();
  for (const uint64_t id : ids) {
    RowRef row;
    if (id != kNoRecord) {
      row = {&scratch->examples, scratch->real_ids.size(), id};
      scratch->real_ids.push_back(id);
    }
    scratch->rows.push_back(row);
  }
  const Locate locate = [this](uint64_t id) { return files_->Locate(id); };
  PENSTOCK_RETURN_IF_ERROR(
      files_->Gather(scratch->real_ids, scratch->gathered));
  PENSTOCK_RETURN_IF_ERROR(job_->decoder.Decode(
      scratch->gathered.records, scratch->real_ids, locate, scratch->examples));
  PENSTOCK_RETURN_IF_ERROR(CheckLengths(*scratch));
  StatusOr<Batch> batch = job_->placer.Place(shape, scratch->rows, locate);
  Return(std::move(scratch));
  return batch;
}

// An index that tells other lengths than the records have would put rows into
// wrong buckets and cut them without a word.
Status PlannedBuild::CheckLengths(const Scratch& scratch) const {
  if (lengths_.columns().empty()) return OkStatus();
  for (size_t row = 0; row < scratch.real_ids.size(); ++row) {
    const uint64_t id = scratch.real_ids[row];
    const uint32_t found = job_->decoder.LengthOf(scratch.examples, row);
    if (found == lengths_(id)) continue;
    return FailedPreconditionError(fmt::format(
        "{}: feature \"{}\" has {} values, but the index says {}: write the "
        "index again with `recordtool index`",
        files_->Locate(id), job_->stages.by(), found, lengths_(id)));
  }
  return OkStatus();
}

std::unique_ptr<PlannedBuild::Scratch> PlannedBuild::Borrow() const {
  const std::lock_guard lock(mutex_);
  if (unused_.empty()) return std::make_unique<Scratch>();
  std::unique_ptr<Scratch> scratch = std::move(unused_.back());
  unused_.pop_back();
  return scratch;
}

void PlannedBuild::Return(std::unique_ptr<Scratch> scratch) const {
  const std::lock_guard lock(mutex_);
  unused_.push_back(std::move(scratch));
}

class Planned final : public Placement {
 public:
  Planned(std::shared_ptr<const Job> job,
          std::shared_ptr<const RecordFiles> files, PlanOptions plan,
          int threads)
      : threads_(threads),
        build_(std::make_shared<const PlannedBuild>(
            std::move(job), std::move(files), plan.lengths)),
        plan_(std::move(plan)) {}

  Status Restore(const State& state) override;
  StatusOr<LeftOut> Run(Builder& builder) override;
  // Run() waits only for the builder, which is cancelled by itself.
  void Cancel() override {}
  std::vector<ByteBudget> Budgets() const override;

 private:
  std::vector<uint64_t> RowsOfThisHost(const Assignment& assignment) const;

  const int threads_;
  const std::shared_ptr<const PlannedBuild> build_;
  Plan plan_;
  uint64_t step_ = 0;
};

Status Planned::Restore(const State& state) {
  if (!plan_.Seek(state.epoch, state.step_in_epoch)) {
    return FailedPreconditionError(
        fmt::format("the state is after step {} of epoch {}, which this run "
                    "does not have",
                    state.step_in_epoch, state.epoch));
  }
  step_ = state.step;
  return OkStatus();
}

StatusOr<LeftOut> Planned::Run(Builder& builder) {
  while (std::optional<PlannedStep> step = plan_.Next()) {
    const LeftOut left_out = {step->dropped, step->truncated};
    const size_t shape = step->assignment.shape;
    const State after = {.fingerprint = build_->job().fingerprint,
                         .epoch = step->epoch,
                         .step = step_ + 1,
                         .step_in_epoch = step->step_in_epoch + 1};
    auto build = [build = build_, ids = RowsOfThisHost(step->assignment), shape,
                  after, left_out,
                  real_rows = step->assignment.real_rows]() -> StatusOr<Built> {
      PENSTOCK_ASSIGN_OR_RETURN(Batch batch, build->Build(shape, ids));
      batch.step = after.step - 1;
      batch.epoch = after.epoch;
      batch.state_after = after;
      return Built{std::move(batch), real_rows, left_out};
    };
    if (!builder.Push(build_->job().BatchBytes(shape), std::move(build))) {
      return CancelledError("the pipeline was cancelled");
    }
    ++step_;
  }
  return LeftOut{plan_.dropped(), plan_.truncated()};
}

std::vector<uint64_t> Planned::RowsOfThisHost(
    const Assignment& assignment) const {
  const Job& job = build_->job();
  std::vector<uint64_t> ids;
  ids.reserve(job.shards.size() * job.rows_per_shard);
  for (const uint32_t shard : job.shards) {
    const auto begin = assignment.rows.begin() +
                       static_cast<std::ptrdiff_t>(shard * job.rows_per_shard);
    ids.insert(ids.end(), begin,
               begin + static_cast<std::ptrdiff_t>(job.rows_per_shard));
  }
  return ids;
}

std::vector<ByteBudget> Planned::Budgets() const {
  const Job& job = build_->job();
  const RecordFiles& files = build_->files();
  const uint64_t record_bytes = files.size_bytes() / files.records();
  const uint64_t rows = job.shards.size() * job.rows_per_shard;
  // A value takes 8 bytes when decoded, and at least one in its record.
  return {{fmt::format("records being read and decoded, {} batches at once, "
                       "by the mean record of {} bytes",
                       threads_, record_bytes),
           static_cast<uint64_t>(threads_) * rows * record_bytes * 9}};
}

}  // namespace

std::unique_ptr<Placement> MakePlanned(std::shared_ptr<const Job> job,
                                       std::shared_ptr<const RecordFiles> files,
                                       PlanOptions plan, int threads) {
  return std::make_unique<Planned>(std::move(job), std::move(files),
                                   std::move(plan), threads);
}

}  // namespace penstock
