#include "pipeline/run/streamed.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/arrange/row_fit.h"
#include "pipeline/build/row_store.h"
#include "pipeline/read/waiting_rows.h"
#include "pipeline/run/checks.h"
#include "pipeline/run/open_batches.h"
#include "pipeline/run/read_ahead.h"
#include "pipeline/run/row_exchange.h"
#include "pipeline/run/streamed_budgets.h"
#include "pipeline/tasks/cancelled.h"

namespace penstock {
namespace {

RowFit FitOf(const Stages& stages) {
  return stages.chunks() ? RowFit({RowFit::kAnyLength}, TooLong::kError)
                         : RowFit(stages.measures(), stages.too_long());
}

Status KnownOnlyAfterReading(const char* instead) {
  return UnimplementedError(
      fmt::format("the pipeline is streamed: which rows its steps have is "
                  "known only after reading; {}",
                  instead));
}

class Streamed final : public Placement {
 public:
  Streamed(std::shared_ptr<const Job> job, std::shared_ptr<RoundSource> source,
           Group* group, TaskQueue& tasks, Steps steps, StreamedOptions options)
      : job_(std::move(job)),
        source_(std::move(source)),
        group_(group),
        tasks_(tasks),
        options_(options),
        fit_(FitOf(job_->stages)),
        steps_(std::move(steps)),
        exchange_(*job_, group),
        places_early_(OpenBatches::Possible(steps_) &&
                      OpenBatches::MostBytes(*job_, steps_.arranger()) <=
                          options_.open_bytes),
        open_(job_, source_) {}

  Status Restore(const State& state) override;
  StatusOr<State> StateAfter(uint64_t, TaskQueue&,
                             const SeekOptions&) const override {
    return KnownOnlyAfterReading("go on from a saved state");
  }
  StatusOr<std::vector<PlannedStep>> WalkSteps(
      uint64_t most, const std::stop_token& stop) override;
  StatusOr<StepTrace> Trace(uint64_t, TaskQueue&,
                            const SeekOptions&) const override {
    return KnownOnlyAfterReading("Batch::record_ids says it then");
  }
  StatusOr<PipelineCounts> Run(BatchRing& ring,
                               const std::stop_token& stop) override;
  uint64_t records_read() const override { return source_->records_read(); }
  std::vector<ByteBudget> Budgets() const override;

 private:
  StatusOr<ReadAheadOptions> HowFarAhead() const;
  Status Take(const DecodedRound& decoded, BatchRing& ring);
  StatusOr<std::vector<Row>> Load();
  Status Arrange(const Round& round, std::span<const Row> rows,
                 std::vector<FedStep>& steps);
  Status AddRows(std::span<const Row> rows, std::vector<FedStep>& steps);
  void AddStep(Step& step, std::vector<FedStep>& steps) const;
  std::vector<UnitPlace> UnitsOf(const State& state) const {
    if (job_->row_ids.most_rows == 1) return source_->UnitsOf(state);
    return source_->UnitsOf(InRecords(state, job_->row_ids));
  }
  Status TooLongError(const Row& row) const;

  const std::shared_ptr<const Job> job_;
  const std::shared_ptr<RoundSource> source_;
  Group* const group_;
  TaskQueue& tasks_;
  const StreamedOptions options_;
  const RowFit fit_;
  Steps steps_;
  RowExchange exchange_;
  RowStore store_;
  const bool places_early_;
  OpenBatches open_;
  std::optional<WaitingRows> waiting_;  // until they are loaded
};

Status Streamed::Restore(const State& state) {
  if (!state.lineage.empty()) {
    return UnimplementedError(
        "the state is of a run that changed on its way, which only planned "
        "pipelines go on from; Explain() says why this one is streamed");
  }
  const State in_records = InRecords(state, job_->row_ids);
  PENSTOCK_RETURN_IF_ERROR(source_->Seek(in_records));
  if (in_records.held.empty()) return steps_.Load(state, {});
  if (const uint64_t epochs = job_->stages.epochs;
      epochs != 0 && state.epoch >= epochs) {
    // Says so at once, before any of its rows is read.
    State empty = state;
    empty.held.clear();
    return steps_.Load(empty, {});
  }
  waiting_.emplace(state, job_->row_ids);
  return OkStatus();
}

StatusOr<ReadAheadOptions> Streamed::HowFarAhead() const {
  const ReadAheadOptions mine = {
      .budget_bytes = options_.read_ahead_bytes,
      .rounds = 2 * static_cast<size_t>(tasks_.threads()),
      .rows_of_part = options_.rows_of_part};
  if (!source_->meets()) return mine;
  return AgreeOn(mine, *group_);
}

StatusOr<PipelineCounts> Streamed::Run(BatchRing& ring,
                                       const std::stop_token& stop) {
  PENSTOCK_ASSIGN_OR_RETURN(const ReadAheadOptions ahead, HowFarAhead());
  ReadAhead read_ahead(job_, source_, tasks_, ahead);
  for (;;) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::optional<DecodedRound> decoded,
                              read_ahead.Next(stop));
    if (!decoded) return steps_.counts();
    PENSTOCK_RETURN_IF_ERROR(Take(*decoded, ring));
  }
}

// Rows are arranged by what they are told of, and kept nowhere.
StatusOr<std::vector<PlannedStep>> Streamed::WalkSteps(
    uint64_t most, const std::stop_token& stop) {
  PENSTOCK_ASSIGN_OR_RETURN(const ReadAheadOptions ahead, HowFarAhead());
  ReadAhead read_ahead(job_, source_, tasks_, ahead);
  std::vector<PlannedStep> walked;
  while (walked.size() < most) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::optional<DecodedRound> decoded,
                              read_ahead.Next(stop));
    if (!decoded) break;
    PENSTOCK_ASSIGN_OR_RETURN(const std::vector<Row> rows,
                              GatherRows(*job_, *decoded, group_));
    std::vector<FedStep> steps;
    PENSTOCK_RETURN_IF_ERROR(Arrange(decoded->round, rows, steps));
    for (const FedStep& fed : steps) {
      if (walked.size() == most) break;
      const Assignment& assignment = fed.step.assignment;
      walked.push_back(
          {.shape = assignment.shape, .real_rows = assignment.real_rows});
    }
  }
  return walked;
}

Status Streamed::Take(const DecodedRound& decoded, BatchRing& ring) {
  PENSTOCK_ASSIGN_OR_RETURN(std::vector<Row> rows,
                            GatherRows(*job_, decoded, group_));
  if (decoded.round.held) {
    const std::vector<Waits> waits = waiting_->Find(rows);
    KeepRows(*job_, decoded, waits, fit_, store_, rows);
    for (size_t i = 0; i < rows.size(); ++i) waiting_->Add(rows[i], waits[i]);
    store_.Settle();
    return OkStatus();
  }
  KeepRows(*job_, decoded, {}, fit_, store_, rows);
  std::vector<FedStep> steps;
  if (waiting_) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::vector<Row> ahead, Load());
    PENSTOCK_RETURN_IF_ERROR(AddRows(ahead, steps));
  }
  PENSTOCK_RETURN_IF_ERROR(Arrange(decoded.round, rows, steps));
  {
    const StageTimer timer(job_->accounts->exchange);
    PENSTOCK_RETURN_IF_ERROR(exchange_.Meet(steps, store_));
  }
  // Rows that were left out at the end of an epoch.
  if (steps_.arranger().held_rows() == 0) store_.Clear();
  if (!places_early_) store_.Settle();
  for (FedStep& fed : steps) {
    const uint64_t bytes = job_->BatchBytes(fed.step);
    if (!AwaitRoom(ring, bytes, *job_->accounts)) return PipelineCancelled();
    open_.Push(std::move(fed), bytes, ring, decoded.home);
  }
  if (places_early_) {
    open_.Place(steps_, exchange_, store_, ring, decoded.home);
    store_.Settle();
  }
  return OkStatus();
}

// Before the first rows that come behind those that wait. Returns the rest of
// the record in which the state's step ended.
StatusOr<std::vector<Row>> Streamed::Load() {
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<Row> held, waiting_->Held());
  PENSTOCK_RETURN_IF_ERROR(steps_.Load(waiting_->state(), held));
  PENSTOCK_ASSIGN_OR_RETURN(std::vector<Row> ahead, waiting_->Ahead());
  waiting_.reset();
  return ahead;
}

Status Streamed::Arrange(const Round& round, std::span<const Row> rows,
                         std::vector<FedStep>& steps) {
  steps_.now().window_begin = round.window_begin;
  PENSTOCK_RETURN_IF_ERROR(AddRows(rows, steps));
  const StageTimer timer(job_->accounts->plan);
  Step step;
  while (round.ends_epoch) {
    PENSTOCK_ASSIGN_OR_RETURN(const bool made, steps_.EndEpoch(step));
    if (!made) break;
    AddStep(step, steps);
  }
  return OkStatus();
}

// Also steps that wait for no more rows.
Status Streamed::AddRows(std::span<const Row> rows,
                         std::vector<FedStep>& steps) {
  const StageTimer timer(job_->accounts->plan);
  job_->accounts->plan.Count(rows.size(), 0);
  Step step;
  for (;;) {
    const StepResult result = steps_.Add(rows, step);
    if (result == StepResult::kTooLong) return TooLongError(rows.front());
    if (result == StepResult::kWantsRows) return OkStatus();
    AddStep(step, steps);
  }
}

void Streamed::AddStep(Step& step, std::vector<FedStep>& steps) const {
  step.after.units = UnitsOf(step.after);
  steps.push_back({.step = std::exchange(step, {})});
}

Status Streamed::TooLongError(const Row& row) const {
  return penstock::TooLongError(
      source_->Locate(job_->row_ids.RecordOf(row.record)), job_->stages,
      row.length);
}

std::vector<ByteBudget> Streamed::Budgets() const {
  return StreamedBudgets(*job_, *source_, steps_.arranger(), options_,
                         {.threads = static_cast<uint64_t>(tasks_.threads()),
                          .has_group = group_ != nullptr,
                          .places_early = places_early_});
}

}  // namespace

std::unique_ptr<Placement> MakeStreamed(std::shared_ptr<const Job> job,
                                        std::shared_ptr<RoundSource> source,
                                        Group* group, TaskQueue& tasks,
                                        Steps steps, StreamedOptions options) {
  return std::make_unique<Streamed>(std::move(job), std::move(source), group,
                                    tasks, std::move(steps), options);
}

}  // namespace penstock
