#include "pipeline/run/planned.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "formats/files/status_or.h"
#include "pipeline/read/rounds.h"
#include "pipeline/tasks/cancelled.h"

namespace penstock {
namespace {

// Memory that one task leaves for the next.
struct Scratch {
  GatheredRecords gathered;
  std::vector<uint64_t> ids;
  DecodeScratch decode;
  DecodedRows rows;
  std::vector<PlacedPiece> placed;
};

// What building batches needs besides their assignments. Tasks share it.
class PlannedReader {
 public:
  PlannedReader(std::shared_ptr<const Job> job,
                std::shared_ptr<const RecordFiles> files, LengthTable lengths)
      : job_(std::move(job)),
        files_(std::move(files)),
        lengths_(std::move(lengths)),
        rows_at_once_(std::clamp<uint64_t>(
            kPartBytes /
                std::max<uint64_t>(1, files_->size_bytes() / files_->records()),
            16, 4096)) {}

  const Job& job() const { return *job_; }
  // Rows of a part of a batch: about kPartBytes of records.
  size_t rows_at_once() const { return rows_at_once_; }

  // Reads and places rows from `row` on, as many as kChunkBytes of records
  // hold, and moves `row` behind them. False where the record of the next row
  // is larger, unless `alone`.
  StatusOr<bool> Build(const Assignment& assignment, bool alone, size_t end,
                       size_t& row, Batch& batch, uint64_t& cut_rows) const;

 private:
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
  std::vector<uint64_t>& ids = scratch->ids;
  ids.assign(batch.record_ids.begin() + batch.row_offsets[row],
             batch.record_ids.begin() + batch.row_offsets[end]);
  if (!ids.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(const GatherBound bound,
                              files_->CountWithin(ids, kChunkBytes));
    if (bound.bytes > kChunkBytes && !alone) return false;
    if (bound.bytes > std::max(kChunkBytes, job_->max_record_bytes)) {
      return RecordTooLarge(files_->Locate(ids.front()), bound.bytes,
                            job_->max_record_bytes);
    }
    // Rows of several records are read whole.
    const size_t most = batch.row_offsets[row] + bound.records;
    size_t last = row + 1;
    while (last < end && batch.row_offsets[last + 1] <= most) ++last;
    ids.resize(batch.row_offsets[last] - batch.row_offsets[row]);
    end = last;
    PENSTOCK_RETURN_IF_ERROR(Read(ids, batch.epoch, *scratch));
  }
  const Locate locate = [this](uint64_t id) { return files_->Locate(id); };
  const StageTimer timer(job_->accounts->build);
  job_->accounts->build.Count(
      end - row, job_->contract().RowBytes(batch.shape) * (end - row));
  for (size_t next = 0; row < end; ++row) {
    scratch->placed.clear();
    for (const Piece& piece : PiecesOf(assignment, job_->batch_rows[row])) {
      PENSTOCK_RETURN_IF_ERROR(CheckLength(piece, scratch->rows.lengths[next]));
      scratch->placed.push_back({piece, {&scratch->rows.examples, next++}});
    }
    PENSTOCK_RETURN_IF_ERROR(
        job_->placer.Place(scratch->placed, row, locate, batch, cut_rows));
  }
  // What a large record needed is not kept.
  if (!alone) Return(std::move(scratch));
  return true;
}

Status PlannedReader::Read(std::span<const uint64_t> ids, uint64_t epoch,
                           Scratch& scratch) const {
  StageAccounts& accounts = *job_->accounts;
  {
    const StageTimer timer(accounts.read);
    PENSTOCK_RETURN_IF_ERROR(files_->Gather(ids, scratch.gathered));
  }
  const uint64_t bytes = BytesOf(scratch.gathered.records);
  accounts.read.Count(ids.size(), bytes);
  accounts.decode.Count(ids.size(), bytes);
  const StageTimer timer(accounts.decode);
  scratch.rows.Clear();
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
            std::move(job), std::move(files), facts.lengths)),
        facts_(std::move(facts)),
        plan_(facts_.MakePlan()) {}

  Status Restore(const State& state) override { return plan_.Load(state); }

  StatusOr<State> StateAfter(uint64_t step, TaskQueue& tasks,
                             const SeekOptions& options) const override {
    return SeekStep(facts_, step, tasks, options);
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
      const uint64_t bytes =
          job.BatchBytes(step->assignment.shape, step->after.held.size());
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
