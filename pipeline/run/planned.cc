#include "pipeline/run/planned.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/read/rounds.h"
#include "pipeline/run/host_plan.h"
#include "pipeline/run/planned_reader.h"
#include "pipeline/run/step_trace.h"
#include "pipeline/seek/plan_seek.h"
#include "pipeline/tasks/cancelled.h"

namespace penstock {
namespace {

uint64_t RecordsOfRow(const Forecast& forecast) {
  return forecast.pack ? 1 + static_cast<uint64_t>(forecast.pack->segments) : 1;
}

// Without the pieces of other rows than these, which rise.
Assignment OnlyRows(const Assignment& all, const std::vector<uint32_t>& rows) {
  const bool has_all = !rows.empty() && rows.back() + 1 == rows.size() &&
                       all.row_offsets.size() <= rows.size() + 1;
  if (has_all) return all;
  size_t pieces = 0;
  for (const uint32_t row : rows) pieces += PiecesOf(all, row).size();
  Assignment some = {.shape = all.shape, .real_rows = all.real_rows};
  some.row_offsets.reserve(all.row_offsets.size());
  some.row_offsets.push_back(0);
  some.pieces.reserve(pieces);
  for (const uint32_t row : rows) {
    if (row + 1 >= all.row_offsets.size()) break;  // it pads
    some.row_offsets.resize(row + 1, some.row_offsets.back());
    const std::span<const Piece> of_row = PiecesOf(all, row);
    some.pieces.insert(some.pieces.end(), of_row.begin(), of_row.end());
    some.row_offsets.push_back(static_cast<uint32_t>(some.pieces.size()));
  }
  return some;
}

class PlannedWork final : public BatchWork {
 public:
  PlannedWork(std::shared_ptr<const PlannedReader> reader, const Step& step)
      : reader_(std::move(reader)),
        assignment_(OnlyRows(step.assignment,
                             reader_->job().RowsOf(step.assignment.shape))) {
    batch = reader_->job().NewBatch(step);
    for (size_t row = 0; row < batch.rows(); row += reader_->rows_at_once()) {
      next_row_.push_back(row);
    }
  }

  size_t parts() const override { return next_row_.size(); }

  Status Begin() override { return reader_->job().GiveMemory(batch); }

  StatusOr<bool> BuildPart(size_t part, bool alone) override {
    const size_t end =
        std::min(batch.rows(), (part + 1) * reader_->rows_at_once());
    uint64_t cut = 0;
    // Others count the parts beside it, in the same cache line.
    size_t row = next_row_[part];
    while (row < end) {
      PENSTOCK_ASSIGN_OR_RETURN(
          const bool built,
          reader_->Build(assignment_, alone, end, row, batch, cut));
      if (!built) break;
      alone = false;  // only for one
    }
    next_row_[part] = row;
    cut_rows += cut;
    return row == end;
  }

 private:
  const std::shared_ptr<const PlannedReader> reader_;
  const Assignment assignment_;   // of the rows that this host feeds
  std::vector<size_t> next_row_;  // [parts]
};

class Planned final : public Placement {
 public:
  Planned(std::shared_ptr<const Job> job,
          std::shared_ptr<const SourceRecords> files, PlanFacts facts,
          Group* group, int threads)
      : threads_(threads),
        reader_(std::make_shared<const PlannedReader>(
            std::move(job), files, facts.lengths,
            RecordsOfRow(facts.forecast))),
        facts_(std::move(facts)),
        plan_(facts_, std::move(files), group) {}

  Status Restore(const State& state) override {
    PENSTOCK_RETURN_IF_ERROR(plan_.Load(state));
    if (!state.lineage.empty()) changed_ = state;
    return OkStatus();
  }

  StatusOr<State> StateAfter(uint64_t step, TaskQueue& tasks,
                             const SeekOptions& options) const override {
    return SeekStep(facts_, step, tasks, From(options));
  }

  StatusOr<StepTrace> Trace(uint64_t step, TaskQueue& tasks,
                            const SeekOptions& options) const override {
    PENSTOCK_ASSIGN_OR_RETURN(const Step made,
                              StepAfter(facts_, step, tasks, From(options)));
    StepTrace trace =
        TraceOf(made, [this](uint64_t id) { return reader_->WhereIs(id); });
    if (facts_.values.columns().empty()) return trace;
    const int64_t most = reader_->job().contract().lengths[trace.shape];
    for (TracedPiece& piece : trace.pieces) {
      piece.length =
          std::min(facts_.values(piece.record), static_cast<uint32_t>(most));
    }
    return trace;
  }

  StatusOr<std::vector<PlannedStep>> WalkSteps(
      uint64_t most, const std::stop_token& stop) override {
    if (changed_) {
      return FailedPreconditionError(
          "the first steps of a run that has changed are those of another "
          "graph: ask a pipeline of that");
    }
    Plan plan = facts_.MakePlan();
    std::vector<PlannedStep> steps;
    Step step;
    while (steps.size() < most) {
      PENSTOCK_ASSIGN_OR_RETURN(const bool made, plan.Next(stop, step));
      if (!made) break;
      steps.push_back({.shape = step.assignment.shape,
                       .real_rows = step.assignment.real_rows});
    }
    return steps;
  }

  StatusOr<PipelineCounts> Run(BatchRing& ring,
                               const std::stop_token& stop) override {
    const Job& job = reader_->job();
    PENSTOCK_RETURN_IF_ERROR(plan_.Begin());
    for (;;) {
      StatusOr<const Step*> next = nullptr;
      {
        const StageTimer timer(job.accounts->plan);
        next = plan_.Next(stop);
      }
      PENSTOCK_RETURN_IF_ERROR(next.status());
      if (*next == nullptr) return plan_.counts();
      const Step& step = **next;
      job.accounts->plan.Count(step.assignment.real_rows, 0);
      const uint64_t bytes = job.BatchBytes(step);
      if (!AwaitRoom(ring, bytes, *job.accounts)) return PipelineCancelled();
      ring.Push(bytes, std::make_shared<PlannedWork>(reader_, step));
    }
  }

  std::vector<ByteBudget> Budgets() const override {
    const Job& job = reader_->job();
    const uint64_t chunk =
        kChunkBytes +
        job.decoder.WorkBytes(kChunkBytes, reader_->rows_at_once());
    const uint64_t record =
        job.max_record_bytes + job.decoder.WorkBytes(job.max_record_bytes, 1);
    std::vector<ByteBudget> budgets = {
        {fmt::format("records being read and decoded, {} at once, of at most "
                     "{} bytes each",
                     threads_, kChunkBytes),
         static_cast<uint64_t>(threads_) * chunk},
        {fmt::format("one larger record at a time, of at most {} bytes",
                     job.max_record_bytes),
         record}};
    if (const uint64_t steps = plan_.kept_steps(); steps > 0) {
      budgets.push_back(
          {fmt::format("{} steps of the plan, for all hosts of this process",
                       steps),
           plan_.MostKeptBytes()});
    }
    return budgets;
  }

 private:
  SeekOptions From(SeekOptions options) const {
    options.from = changed_;
    return options;
  }

  const int threads_;
  const std::shared_ptr<const PlannedReader> reader_;
  const PlanFacts facts_;
  std::optional<State> changed_;  // what a run that changed goes on from
  HostPlan plan_;
};

}  // namespace

std::unique_ptr<Placement> MakePlanned(
    std::shared_ptr<const Job> job, std::shared_ptr<const SourceRecords> files,
    PlanFacts plan, Group* group, int threads) {
  return std::make_unique<Planned>(std::move(job), std::move(files),
                                   std::move(plan), group, threads);
}

}  // namespace penstock
