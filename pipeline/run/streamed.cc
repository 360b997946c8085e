#include "pipeline/run/streamed.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/arrange/row_fit.h"
#include "pipeline/build/row_store.h"
#include "pipeline/run/checks.h"
#include "pipeline/run/read_ahead.h"
#include "pipeline/run/row_exchange.h"
#include "pipeline/run/streamed_work.h"
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
        exchange_(*job_, group) {}

  Status Restore(const State& state) override;
  StatusOr<State> StateAfter(uint64_t, TaskQueue&,
                             const SeekOptions&) const override {
    return KnownOnlyAfterReading("go on from a saved state");
  }
  StatusOr<std::vector<PlannedStep>> PlannedSteps(
      uint64_t, const std::stop_token&) const override {
    return KnownOnlyAfterReading("write indexes with `recordtool index`");
  }
  StatusOr<StepTrace> Trace(uint64_t, TaskQueue&,
                            const SeekOptions&) const override {
    return KnownOnlyAfterReading("Batch::record_ids says it then");
  }
  StatusOr<PipelineCounts> Run(BatchRing& ring,
                               const std::stop_token& stop) override;
  uint64_t records_read() const override { return source_->records_read(); }
  std::vector<ByteBudget> Budgets() const override;

 private:
  Status Take(const DecodedRound& decoded, BatchRing& ring);
  StatusOr<std::vector<Row>> Store(const DecodedRound& decoded);
  Status LoadHeld();
  StatusOr<std::vector<FedStep>> Arrange(const Round& round,
                                         std::span<const Row> rows);
  Status TooLongError(const Row& row) const;
  Status Push(FedStep fed, BatchRing& ring);

  const std::shared_ptr<const Job> job_;
  const std::shared_ptr<RoundSource> source_;
  Group* const group_;
  TaskQueue& tasks_;
  const StreamedOptions options_;
  const RowFit fit_;
  Steps steps_;
  RowExchange exchange_;
  RowStore store_;
  // Of a state whose rows are still to come, and those that have.
  State restored_;
  // A record may wait twice, where it comes twice in an epoch.
  std::unordered_multimap<uint64_t, Row> held_;
};

Status Streamed::Restore(const State& state) {
  if (!state.lineage.empty()) {
    return UnimplementedError(
        "the state is of a run that changed on its way, which only planned "
        "pipelines go on from; Explain() says why this one is streamed");
  }
  PENSTOCK_RETURN_IF_ERROR(source_->Seek(state));
  if (state.held.empty()) return steps_.Load(state, {});
  if (const uint64_t epochs = job_->stages.epochs;
      epochs != 0 && state.epoch >= epochs) {
    // Says so at once, before any of its rows is read.
    State empty = state;
    empty.held.clear();
    return steps_.Load(empty, {});
  }
  restored_ = state;
  return OkStatus();
}

StatusOr<PipelineCounts> Streamed::Run(BatchRing& ring,
                                       const std::stop_token& stop) {
  ReadAheadOptions ahead = {.budget_bytes = options_.read_ahead_bytes,
                            .rounds = 2 * static_cast<size_t>(tasks_.threads()),
                            .rows_of_part = options_.rows_of_part};
  if (source_->meets()) {
    PENSTOCK_ASSIGN_OR_RETURN(ahead, AgreeOn(ahead, *group_));
  }
  ReadAhead read_ahead(job_, source_, tasks_, ahead);
  for (;;) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::optional<DecodedRound> decoded,
                              read_ahead.Next(stop));
    if (!decoded) return steps_.counts();
    PENSTOCK_RETURN_IF_ERROR(Take(*decoded, ring));
  }
}

Status Streamed::Take(const DecodedRound& decoded, BatchRing& ring) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<Row> rows, Store(decoded));
  if (decoded.round.held) {
    for (const Row& row : rows) held_.emplace(row.record, row);
    store_.Settle();
    return OkStatus();
  }
  if (!restored_.held.empty()) PENSTOCK_RETURN_IF_ERROR(LoadHeld());
  PENSTOCK_ASSIGN_OR_RETURN(std::vector<FedStep> steps,
                            Arrange(decoded.round, rows));
  {
    const StageTimer timer(job_->accounts->exchange);
    PENSTOCK_RETURN_IF_ERROR(exchange_.Meet(steps, store_));
  }
  // Rows that were left out at the end of an epoch.
  if (steps_.arranger().held_rows() == 0) store_.Clear();
  store_.Settle();
  for (FedStep& fed : steps) {
    PENSTOCK_RETURN_IF_ERROR(Push(std::move(fed), ring));
  }
  return OkStatus();
}

// Keeps this host's rows, and makes a Row of everyone's.
StatusOr<std::vector<Row>> Streamed::Store(const DecodedRound& decoded) {
  const Round& round = decoded.round;
  std::vector<Row> rows(round.records.size());
  std::vector<uint32_t> lengths;
  for (const DecodedRound::Part& part : decoded.parts) {
    lengths.insert(lengths.end(), part.lengths.begin(), part.lengths.end());
  }
  if (!job_->stages.rows_vary()) {
    lengths.assign(rows.size(), 0);
  } else if (group_ != nullptr) {
    const StageTimer timer(job_->accounts->exchange);
    PENSTOCK_ASSIGN_OR_RETURN(
        lengths, GatherLengths(round, std::move(lengths), *group_));
  }
  uint32_t share = 0;
  uint64_t left = 0;  // rows of the share before it
  const uint32_t nobody = job_->topology.hosts;
  for (size_t i = 0; i < rows.size(); ++i) {
    uint32_t host = nobody;
    if (!round.shares.empty()) {
      while (i - left >= round.shares[share].rows) {
        left += round.shares[share++].rows;
      }
      host = round.shares[share].host;
    }
    rows[i] = {.record = round.records[i],
               .tag = RowPlace{.host = host}.tag(),
               .length = lengths[i]};
  }
  size_t mine = 0;  // of Round::mine
  for (const DecodedRound::Part& part : decoded.parts) {
    for (size_t r = 0; r < part.lengths.size(); ++r) {
      Row& row = rows[round.mine[mine++]];
      // Rows that the arranger drops are not kept.
      Row fitting = row;
      if (!fit_.AdmitAgain(fitting)) continue;
      const uint64_t slot =
          store_.Add({part.examples, r}, fit_.ShapeOf(fitting.length));
      row.tag = RowPlace{job_->topology.host, slot}.tag();
    }
  }
  return rows;
}

Status Streamed::LoadHeld() {
  std::vector<Row> rows;
  rows.reserve(restored_.held.size());
  for (const HeldPiece& piece : restored_.held) {
    const auto [row, behind] = held_.equal_range(piece.record);
    if (row == behind) {
      return FailedPreconditionError(fmt::format(
          "record {} waits in the state, but it was not read", piece.record));
    }
    rows.push_back(row->second);
    // Pieces of one row have it in common.
    if (std::next(row) != behind) held_.erase(row);
  }
  PENSTOCK_RETURN_IF_ERROR(steps_.Load(restored_, rows));
  restored_ = {};
  held_ = {};
  return OkStatus();
}

StatusOr<std::vector<FedStep>> Streamed::Arrange(const Round& round,
                                                 std::span<const Row> rows) {
  const StageTimer timer(job_->accounts->plan);
  job_->accounts->plan.Count(rows.size(), 0);
  std::vector<FedStep> steps;
  const auto add = [&](Step& step) {
    step.after.units = source_->UnitsOf(step.after);
    steps.push_back({.step = std::exchange(step, {})});
  };
  steps_.now().window_begin = round.window_begin;
  Step step;
  for (;;) {
    const StepResult result = steps_.Add(rows, step);
    if (result == StepResult::kTooLong) return TooLongError(rows.front());
    if (result == StepResult::kWantsRows) break;
    add(step);
  }
  while (round.ends_epoch) {
    PENSTOCK_ASSIGN_OR_RETURN(const bool made, steps_.EndEpoch(step));
    if (!made) break;
    add(step);
  }
  return steps;
}

Status Streamed::TooLongError(const Row& row) const {
  return penstock::TooLongError(source_->Locate(row.record), job_->stages,
                                row.length);
}

Status Streamed::Push(FedStep fed, BatchRing& ring) {
  const uint64_t bytes = job_->BatchBytes(fed.step);
  if (!AwaitRoom(ring, bytes, *job_->accounts)) return PipelineCancelled();
  PENSTOCK_ASSIGN_OR_RETURN(Batch batch, job_->NewBatch(fed.step));
  ring.Push(bytes,
            MakeStreamedWork(job_, source_, std::move(fed), std::move(batch)));
  return OkStatus();
}

std::vector<ByteBudget> Streamed::Budgets() const {
  const SourceDecoders& decoder = job_->decoder;
  const auto threads = static_cast<uint64_t>(tasks_.threads());
  const uint64_t hosts = job_->topology.hosts;
  const uint64_t rows = (options_.rows_of_round + hosts - 1) / hosts;
  const uint64_t round =
      rows * decoder.RowBytes(job_->contract().lengths.back());
  const uint64_t waiting = steps_.arranger().MostHeldBytes();
  std::vector<ByteBudget> budgets = {
      {fmt::format("records being read and decoded, {} at once, of at most {} "
                   "bytes each",
                   threads, kChunkBytes),
       threads * (kChunkBytes + decoder.WorkBytes(kChunkBytes, rows))},
      {fmt::format("one larger record at a time, of at most {} bytes",
                   job_->max_record_bytes),
       job_->max_record_bytes + decoder.WorkBytes(job_->max_record_bytes, 1)},
      {fmt::format("rounds of {} rows read and decoded ahead",
                   options_.rows_of_round),
       std::max(options_.read_ahead_bytes, round) + round},
      // A copy is made of those that stay.
      {"rows that wait for a batch, of all hosts", 2 * waiting}};
  if (group_ != nullptr) {
    budgets.push_back(
        {"rows on their way between hosts", 2 * (waiting + hosts * round)});
  }
  if (source_->BufferBytes() > 0) {
    budgets.push_back({source_->meets()
                           ? "records of this host's files that hosts were "
                             "told of, and a window of records"
                           : "a window of records",
                       source_->BufferBytes()});
  }
  return budgets;
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
