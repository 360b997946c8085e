#include "pipeline/run/streamed.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "formats/files/status_or.h"
#include "pipeline/build/held_rows.h"
#include "pipeline/run/length_exchange.h"
#include "pipeline/run/read_ahead.h"

namespace penstock {
namespace {

Status Stopped() { return CancelledError("the pipeline was cancelled"); }

class Streamed final : public Placement {
 public:
  Streamed(std::shared_ptr<const Job> job, std::shared_ptr<RoundSource> source,
           Agreement* agreement, Workers& workers, StreamedOptions options)
      : job_(std::move(job)),
        source_(std::move(source)),
        agreement_(agreement),
        options_(std::move(options)),
        read_ahead_(job_, source_, workers, options_.read_ahead_bytes),
        arranger_(options_.arrange),
        held_(options_.arrange.queues(), job_->shards.size()),
        held_shard_(job_->topology.shards, kNotMine) {
    for (size_t i = 0; i < job_->shards.size(); ++i) {
      held_shard_[job_->shards[i]] = i;
    }
  }

  Status Restore(const State& state) override;
  StatusOr<LeftOut> Run(Builder& builder) override;
  void Cancel() override;
  std::vector<ByteBudget> Budgets() const override;

 private:
  static constexpr size_t kNotMine = std::numeric_limits<size_t>::max();

  Status RunRounds(Builder& builder);
  StatusOr<std::vector<uint32_t>> Lengths(const DecodedRound& decoded);
  Status Arrange(const DecodedRound& decoded, Builder& builder);
  Status TooLongError(uint64_t position, uint32_t length,
                      uint64_t record_id) const;
  Status EndEpoch(Builder& builder);
  Status Push(const Assignment& assignment, Builder& builder);

  const std::shared_ptr<const Job> job_;
  const std::shared_ptr<RoundSource> source_;
  Agreement* const agreement_;
  const StreamedOptions options_;
  ReadAhead read_ahead_;
  Arranger arranger_;
  HeldRows held_;
  std::vector<size_t> held_shard_;  // [shards of all hosts]: number in held_
  State state_;                     // after the batch pushed last
  LeftOut left_out_;
};

Status Streamed::Restore(const State& state) {
  uint64_t after_last = 0;
  for (const uint64_t position : state.pending) {
    if (position < after_last || position >= state.positions_read) {
      return FailedPreconditionError(
          "the state's pending positions are not among those it has read");
    }
    after_last = position + 1;
  }
  const uint64_t epochs = job_->stages.epochs;
  if (epochs != 0 && state.epoch >= epochs) {
    return FailedPreconditionError(
        fmt::format("the state is in epoch {}, counted from 0, which this run "
                    "does not have",
                    state.epoch));
  }
  PENSTOCK_RETURN_IF_ERROR(source_->Seek(state));
  state_ = state;
  return OkStatus();
}

StatusOr<LeftOut> Streamed::Run(Builder& builder) {
  state_.fingerprint = job_->fingerprint;
  const Status status = RunRounds(builder);
  if (status.ok()) return left_out_;
  // The other hosts would wait for this one for ever.
  if (agreement_ != nullptr) agreement_->Cancel();
  return status;
}

void Streamed::Cancel() {
  read_ahead_.Cancel();
  if (agreement_ != nullptr) agreement_->Cancel();
}

Status Streamed::RunRounds(Builder& builder) {
  for (;;) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::optional<DecodedRound> decoded,
                              read_ahead_.Next());
    if (!decoded) return OkStatus();
    PENSTOCK_RETURN_IF_ERROR(Arrange(*decoded, builder));
    held_.Detach(decoded->examples.get());
    if (decoded->round.ends_epoch) PENSTOCK_RETURN_IF_ERROR(EndEpoch(builder));
  }
}

StatusOr<std::vector<uint32_t>> Streamed::Lengths(const DecodedRound& decoded) {
  const Round& round = decoded.round;
  if (job_->stages.by().empty()) {
    return std::vector<uint32_t>(round.positions.size());
  }
  std::vector<uint32_t> mine(round.ids.size());
  for (size_t row = 0; row < mine.size(); ++row) {
    mine[row] = job_->decoder.LengthOf(*decoded.examples, row);
  }
  if (agreement_ == nullptr) return mine;
  return ExchangeLengths(*job_, round, mine, *agreement_);
}

Status Streamed::Arrange(const DecodedRound& decoded, Builder& builder) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<uint32_t> lengths,
                            Lengths(decoded));
  const Round& round = decoded.round;
  size_t next_mine = 0;
  Assignment assignment;
  for (size_t i = 0; i < lengths.size(); ++i) {
    const uint64_t position = round.positions[i];
    const auto shard = static_cast<uint32_t>(position % job_->topology.shards);
    const size_t held_shard = held_shard_[shard];
    const size_t row = held_shard == kNotMine ? 0 : next_mine++;
    const uint64_t record_id =
        held_shard == kNotMine ? kNoRecord : round.ids[row];
    // Positions that were pending in a state are below what it had read.
    state_.positions_read = std::max(state_.positions_read, position + 1);
    switch (arranger_.Add(shard, {.number = position, .length = lengths[i]})) {
      case Placing::kTooLong:
        return TooLongError(position, lengths[i], record_id);
      case Placing::kDropped:
        ++left_out_.dropped;
        continue;
      case Placing::kTruncated:
        ++left_out_.truncated;
        break;
      case Placing::kTaken:
        break;
    }
    if (held_shard != kNotMine) {
      held_.Add(*arranger_.QueueOf(lengths[i]), held_shard,
                {decoded.examples, row, record_id});
    }
    if (arranger_.Due(assignment)) {
      PENSTOCK_RETURN_IF_ERROR(Push(assignment, builder));
    }
  }
  return OkStatus();
}

Status Streamed::TooLongError(uint64_t position, uint32_t length,
                              uint64_t record_id) const {
  return InvalidArgumentError(fmt::format(
      "{}: feature \"{}\" has {} values, but the longest length is {}: add a "
      "longer one or use TooLong::kTruncate or TooLong::kDrop",
      record_id == kNoRecord
          ? fmt::format("position {}, a record of another host", position)
          : source_->Locate(record_id),
      job_->stages.by(), length, job_->contract().lengths.back()));
}

Status Streamed::EndEpoch(Builder& builder) {
  const uint64_t rows = arranger_.pending_rows();
  switch (job_->stages.batch.leftover) {
    case Leftover::kPad: {
      Assignment assignment;
      while (arranger_.Flush(assignment)) {
        PENSTOCK_RETURN_IF_ERROR(Push(assignment, builder));
      }
      break;
    }
    case Leftover::kDrop:
      left_out_.dropped += rows;
      arranger_.Clear();
      held_.Clear();
      break;
    case Leftover::kError:
      if (rows == 0) break;
      return FailedPreconditionError(
          fmt::format("epoch {} leaves {} rows that do not fill whole batches "
                      "of {}; use Leftover::kPad or Leftover::kDrop",
                      state_.epoch, rows, job_->stages.batch.size));
  }
  if (state_.step_in_epoch == 0 && job_->stages.epochs == 0) {
    return FailedPreconditionError(
        "Repeat for ever, but an epoch has no batch: every row is dropped; use "
        "smaller batches or Leftover::kPad");
  }
  ++state_.epoch;
  state_.step_in_epoch = 0;
  state_.positions_read = 0;
  return OkStatus();
}

Status Streamed::Push(const Assignment& assignment, Builder& builder) {
  const uint64_t per_shard = job_->rows_per_shard;
  std::vector<HeldRow> rows(job_->shards.size() * per_shard);
  for (size_t i = 0; i < job_->shards.size(); ++i) {
    const auto begin = assignment.rows.begin() +
                       static_cast<std::ptrdiff_t>(job_->shards[i] * per_shard);
    const auto end = begin + static_cast<std::ptrdiff_t>(per_shard);
    const auto real = std::find(begin, end, kNoRecord) - begin;
    held_.Take(assignment.queue, i, static_cast<size_t>(real),
               rows.data() + i * per_shard);
  }
  Built built;
  built.real_rows = assignment.real_rows;
  built.left_out = left_out_;
  built.batch.step = state_.step++;
  ++state_.step_in_epoch;
  state_.pending = arranger_.PendingNumbers();
  built.batch.epoch = state_.epoch;
  built.batch.state_after = state_;
  const uint64_t bytes =
      job_->BatchBytes(assignment.shape) + 8 * state_.pending.size();
  auto build = [job = job_, source = source_, shape = assignment.shape,
                rows = std::move(rows),
                built = std::move(built)]() mutable -> StatusOr<Built> {
    std::vector<RowRef> refs(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      refs[i] = {rows[i].examples.get(), rows[i].row, rows[i].record_id};
    }
    PENSTOCK_ASSIGN_OR_RETURN(Batch batch,
                              job->placer.Place(shape, refs, [&](uint64_t id) {
                                return source->Locate(id);
                              }));
    batch.step = built.batch.step;
    batch.epoch = built.batch.epoch;
    batch.state_after = std::move(built.batch.state_after);
    built.batch = std::move(batch);
    return std::move(built);
  };
  return builder.Push(bytes, std::move(build)) ? OkStatus() : Stopped();
}

std::vector<ByteBudget> Streamed::Budgets() const {
  const Contract& contract = job_->contract();
  const uint64_t waiting = job_->shards.size() * options_.arrange.row_limit;
  std::vector<ByteBudget> budgets = {
      {"rounds read and decoded ahead, one at least",
       options_.read_ahead_bytes},
      // A decoded value takes 8 bytes, at most twice that of a tensor's.
      {fmt::format(
           "rows that wait for a batch: {} in each shard, {} in a state",
           options_.arrange.row_limit,
           job_->topology.shards * options_.arrange.row_limit),
       2 * waiting * contract.RowBytes(contract.shapes() - 1)}};
  if (source_->BufferBytes() > 0) {
    budgets.push_back({"a window of records, at most all of the files",
                       source_->BufferBytes()});
  }
  return budgets;
}

}  // namespace

std::unique_ptr<Placement> MakeStreamed(std::shared_ptr<const Job> job,
                                        std::unique_ptr<RoundSource> source,
                                        Agreement* agreement, Workers& workers,
                                        StreamedOptions options) {
  return std::make_unique<Streamed>(std::move(job), std::move(source),
                                    agreement, workers, std::move(options));
}

uint64_t PositionsPerShard(uint64_t rows_per_shard) {
  // Enough rows that telling lengths and starting a task cost little of each.
  return std::max<uint64_t>(rows_per_shard, 64);
}

uint64_t RowLimit(uint64_t rows_per_shard, size_t queues) {
  return 4 * PositionsPerShard(rows_per_shard) * queues;
}

}  // namespace penstock
