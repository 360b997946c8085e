#include "pipeline/run/planned.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "formats/files/status_or.h"
#include "pipeline/read/rounds.h"
#include "pipeline/run/step_trace.h"
#include "pipeline/tasks/cancelled.h"

namespace penstock {
namespace {

uint64_t RecordsOfRow(const Forecast& forecast) {
  return forecast.pack ? 1 + static_cast<uint64_t>(forecast.pack->segments) : 1;
}

// Memory that one task leaves for the next.
struct Scratch {
  GatheredRecords gathered;
  std::vector<uint64_t> ids;  // a record that follows itself comes once
  std::vector<size_t> ends;   // [rows]: how many ids rows up to it need
  DecodeScratch decode;
  DecodedRows rows;
  std::vector<PlacedPiece> placed;
};

// What building batches needs besides their assignments. Tasks share it.
class PlannedReader {
 public:
  PlannedReader(std::shared_ptr<const Job> job,
                std::shared_ptr<const RecordFiles> files, LengthTable lengths,
                uint64_t records_of_row)
      : job_(std::move(job)),
        files_(std::move(files)),
        lengths_(std::move(lengths)),
        rows_at_once_(std::clamp<uint64_t>(
            kPartBytes /
                std::max<uint64_t>(1, records_of_row * files_->size_bytes() /
                                          files_->records()),
            job_->stages.pack ? 4 : 16, 4096)) {}

  const Job& job() const { return *job_; }
  std::string WhereIs(uint64_t record) const { return files_->Locate(record); }
  // Rows of a part of a batch: about kPartBytes of records.
  size_t rows_at_once() const { return rows_at_once_; }

  // Reads and places rows from `row` on, as many as kChunkBytes of records
  // hold, and moves `row` behind them. False where the record of the next row
  // is larger, unless `alone`.
  StatusOr<bool> Build(const Assignment& assignment, bool alone, size_t end,
                       size_t& row, Batch& batch, uint64_t& cut_rows) const;

 private:
  StatusOr<size_t> CountRows(const Batch& batch, size_t row, size_t end,
                             bool alone, Scratch& scratch) const;
  Status Read(std::span<const uint64_t> ids, uint64_t epoch,
              Scratch& scratch) const;
  Status CheckLength(const Piece& piece, uint32_t found) const;
  std::unique_ptr<Scratch> Borrow() const;
  void Return(std::unique_ptr<Scratch> scratch) const;

  const std::shared_ptr<const Job> job_;
  const std::shared_ptr<const RecordFiles> files_;
  const LengthTable lengths_;
  const uint64_t rows_at_once_;

  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Scratch>> unused_;
};

StatusOr<bool> PlannedReader::Build(const Assignment& assignment, bool alone,
                                    size_t end, size_t& row, Batch& batch,
                                    uint64_t& cut_rows) const {
  std::unique_ptr<Scratch> scratch = Borrow();
  PENSTOCK_ASSIGN_OR_RETURN(const size_t rows,
                            CountRows(batch, row, end, alone, *scratch));
  if (rows == 0) return false;
  end = row + rows;
  PENSTOCK_RETURN_IF_ERROR(
      Read(std::span(scratch->ids).first(scratch->ends[rows - 1]), batch.epoch,
           *scratch));
  const Locate locate = [this](uint64_t id) { return files_->Locate(id); };
  const StageTimer timer(job_->accounts->build);
  job_->accounts->build.Count(
      end - row, job_->contract().RowBytes(batch.shape) * (end - row));
  for (size_t next = 0; row < end; ++row) {
    scratch->placed.clear();
    for (const Piece& piece : PiecesOf(assignment, job_->batch_rows[row])) {
      if (next == 0 || scratch->ids[next - 1] != piece.record) ++next;
      PENSTOCK_RETURN_IF_ERROR(
          CheckLength(piece, scratch->rows.lengths[next - 1]));
      scratch->placed.push_back({piece, {&scratch->rows.examples, next - 1}});
    }
    PENSTOCK_RETURN_IF_ERROR(
        job_->placer.Place(scratch->placed, row, locate, batch, cut_rows));
  }
  // What a large record needed is not kept.
  if (!alone) Return(std::move(scratch));
  return true;
}

// How many rows, each with all its records, are read at once. 0 where those of
// one are too many bytes, unless `alone`.
StatusOr<size_t> PlannedReader::CountRows(const Batch& batch, size_t row,
                                          size_t end, bool alone,
                                          Scratch& scratch) const {
  std::vector<uint64_t>& ids = scratch.ids;
  std::vector<size_t>& ends = scratch.ends;
  ids.clear();
  ends.clear();
  for (size_t r = row; r < end; ++r) {
    for (const uint64_t id : batch.RecordsOf(r)) {
      if (ids.empty() || ids.back() != id) ids.push_back(id);
    }
    ends.push_back(ids.size());
  }
  if (ids.empty()) return ends.size();
  PENSTOCK_ASSIGN_OR_RETURN(GatherBound bound,
                            files_->CountWithin(ids, kChunkBytes));
  if (bound.bytes > kChunkBytes || bound.records < ends[0]) {
    if (!alone) return size_t{0};
    const uint64_t most = std::max(kChunkBytes, job_->max_record_bytes);
    PENSTOCK_ASSIGN_OR_RETURN(
        bound, files_->CountWithin(std::span(ids).first(ends[0]), most));
    if (bound.bytes > most || bound.records < ends[0]) {
      return RecordTooLarge(files_->Locate(ids.front()), bound.bytes,
                            job_->max_record_bytes);
    }
  }
  size_t rows = 1;
  while (rows < ends.size() && ends[rows] <= bound.records) ++rows;
  return rows;
}

Status PlannedReader::Read(std::span<const uint64_t> ids, uint64_t epoch,
                           Scratch& scratch) const {
  scratch.rows.Clear();
  if (ids.empty()) return OkStatus();
  StageAccounts& accounts = *job_->accounts;
  {
    const StageTimer timer(accounts.read);
    PENSTOCK_RETURN_IF_ERROR(files_->Gather(ids, scratch.gathered));
  }
  const uint64_t bytes = BytesOf(scratch.gathered.records);
  accounts.read.Count(ids.size(), bytes);
  accounts.decode.Count(ids.size(), bytes);
  const StageTimer timer(accounts.decode);
  return job_->decoder.Decode(
      scratch.gathered.records, ids, epoch,
      [this](uint64_t id) { return files_->Locate(id); }, scratch.decode,
      scratch.rows);
}

// The command that makes the index of this feature.
std::string IndexCommand(const std::string& by, const SourceStages& source) {
  std::string command = fmt::format("recordtool index --length-of {}", by);
  const auto found = std::ranges::find(source.features, by, &Feature::name);
  if (found != source.features.end() &&
      found->encoding != FeatureEncoding::kPlain) {
    command += fmt::format(" --token-encoding {}",
                           FeatureEncodingName(found->encoding));
  }
  return command;
}

// An index that tells other lengths than the records have would put rows into
// wrong buckets and cut them without a word.
Status PlannedReader::CheckLength(const Piece& piece, uint32_t found) const {
  if (found == piece.length || lengths_.columns().empty()) return OkStatus();
  const uint32_t told = lengths_(piece.record);
  if (found == told) return OkStatus();  // and was cut
  return FailedPreconditionError(fmt::format(
      "{}: feature \"{}\" has {} values, but the index says {}: write the "
      "index again with `{}`",
      files_->Locate(piece.record), job_->stages.by(), found, told,
      IndexCommand(job_->stages.length_column(),
                   job_->SourceOf(piece.record))));
}

std::unique_ptr<Scratch> PlannedReader::Borrow() const {
  const std::lock_guard lock(mutex_);
  if (unused_.empty()) return std::make_unique<Scratch>();
  std::unique_ptr<Scratch> scratch = std::move(unused_.back());
  unused_.pop_back();
  return scratch;
}

void PlannedReader::Return(std::unique_ptr<Scratch> scratch) const {
  const std::lock_guard lock(mutex_);
  unused_.push_back(std::move(scratch));
}

class PlannedWork final : public BatchWork {
 public:
  PlannedWork(std::shared_ptr<const PlannedReader> reader, Step step,
              Batch made)
      : reader_(std::move(reader)), assignment_(std::move(step.assignment)) {
    batch = std::move(made);
    for (size_t row = 0; row < batch.rows(); row += reader_->rows_at_once()) {
      next_row_.push_back(row);
    }
  }

  size_t parts() const override { return next_row_.size(); }

  StatusOr<bool> BuildPart(size_t part, bool alone) override {
    const size_t end =
        std::min(batch.rows(), (part + 1) * reader_->rows_at_once());
    uint64_t cut = 0;
    while (next_row_[part] < end) {
      PENSTOCK_ASSIGN_OR_RETURN(
          const bool built,
          reader_->Build(assignment_, alone, end, next_row_[part], batch, cut));
      if (!built) break;
      alone = false;  // only for one
    }
    cut_rows += cut;
    return next_row_[part] == end;
  }

 private:
  const std::shared_ptr<const PlannedReader> reader_;
  const Assignment assignment_;
  std::vector<size_t> next_row_;  // [parts]
};

class Planned final : public Placement {
 public:
  Planned(std::shared_ptr<const Job> job,
          std::shared_ptr<const RecordFiles> files, PlanFacts facts,
          int threads)
      : threads_(threads),
        reader_(std::make_shared<const PlannedReader>(
            std::move(job), std::move(files), facts.lengths,
            RecordsOfRow(facts.forecast))),
        facts_(std::move(facts)),
        plan_(facts_.MakePlan()) {}

  Status Restore(const State& state) override { return plan_.Load(state); }

  StatusOr<State> StateAfter(uint64_t step, TaskQueue& tasks,
                             const SeekOptions& options) const override {
    return SeekStep(facts_, step, tasks, options);
  }

  StatusOr<StepTrace> Trace(uint64_t step, TaskQueue& tasks,
                            const SeekOptions& options) const override {
    PENSTOCK_ASSIGN_OR_RETURN(const Step made,
                              StepAfter(facts_, step, tasks, options));
    return TraceOf(made, [this](uint64_t id) { return reader_->WhereIs(id); });
  }

  StatusOr<std::vector<PlannedStep>> PlannedSteps(
      uint64_t most, const std::stop_token& stop) const override {
    Plan plan = facts_.MakePlan();
    std::vector<PlannedStep> steps;
    while (steps.size() < most) {
      PENSTOCK_ASSIGN_OR_RETURN(const std::optional<Step> step,
                                plan.Next(stop));
      if (!step) break;
      steps.push_back({.shape = step->assignment.shape,
                       .real_rows = step->assignment.real_rows});
    }
    return steps;
  }

  StatusOr<PipelineCounts> Run(BatchRing& ring,
                               const std::stop_token& stop) override {
    const Job& job = reader_->job();
    for (;;) {
      StatusOr<std::optional<Step>> next = std::nullopt;
      {
        const StageTimer timer(job.accounts->plan);
        next = plan_.Next(stop);
      }
      PENSTOCK_ASSIGN_OR_RETURN(std::optional<Step> step, std::move(next));
      if (!step) return plan_.steps().counts();
      job.accounts->plan.Count(step->assignment.real_rows, 0);
      const uint64_t bytes = job.BatchBytes(*step);
      if (!AwaitRoom(ring, bytes, *job.accounts)) return PipelineCancelled();
      PENSTOCK_ASSIGN_OR_RETURN(Batch batch, job.NewBatch(*step));
      ring.Push(bytes, std::make_shared<PlannedWork>(reader_, *std::move(step),
                                                     std::move(batch)));
    }
  }

  std::vector<ByteBudget> Budgets() const override {
    const Job& job = reader_->job();
    const uint64_t chunk =
        kChunkBytes +
        job.decoder.WorkBytes(kChunkBytes, reader_->rows_at_once());
    const uint64_t record =
        job.max_record_bytes + job.decoder.WorkBytes(job.max_record_bytes, 1);
    return {{fmt::format("records being read and decoded, {} at once, of at "
                         "most {} bytes each",
                         threads_, kChunkBytes),
             static_cast<uint64_t>(threads_) * chunk},
            {fmt::format("one larger record at a time, of at most {} bytes",
                         job.max_record_bytes),
             record}};
  }

 private:
  const int threads_;
  const std::shared_ptr<const PlannedReader> reader_;
  const PlanFacts facts_;
  Plan plan_;
};

}  // namespace

std::unique_ptr<Placement> MakePlanned(std::shared_ptr<const Job> job,
                                       std::shared_ptr<const RecordFiles> files,
                                       PlanFacts plan, int threads) {
  return std::make_unique<Planned>(std::move(job), std::move(files),
                                   std::move(plan), threads);
}

}  // namespace penstock
