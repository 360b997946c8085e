#include "pipeline/seek/plan_seek.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "pipeline/arrange/row_fit.h"
#include "pipeline/seek/chunk_seek.h"
#include "pipeline/seek/seek_epoch.h"
#include "pipeline/tasks/cancelled.h"

namespace penstock {
namespace {

// What some rows that follow each other add to each queue.
struct Part {
  std::vector<uint32_t> rows;  // [queues]
  ArrangeCounts counts;
};

// The rows of an epoch, a part at a time.
class EpochRows {
 public:
  EpochRows(const PlanFacts& facts, uint64_t epoch)
      : records(facts, epoch),
        arrange_(facts.arrange),
        fit_(arrange_.lengths, arrange_.too_long) {}

  size_t queues() const {
    return arrange_.one_queue ? 1 : arrange_.lengths.size();
  }

  // Calls take(record, queue) for each row of the part that is not dropped.
  template <typename Take>
  ArrangeCounts ForEach(uint64_t part, Take take) const {
    ArrangeCounts counts;
    records.ForEach(part, [&](uint64_t record, uint32_t length) {
      Row row = {.record = record, .length = length};
      if (fit_.Admit(row, counts) != Admission::kTaken) return;
      take(record, arrange_.one_queue ? 0 : fit_.ShapeOf(row.length));
    });
    return counts;
  }

  Part Count(uint64_t part) const {
    Part counted = {.rows = std::vector<uint32_t>(queues()), .counts = {}};
    counted.counts =
        ForEach(part, [&](uint64_t, size_t queue) { ++counted.rows[queue]; });
    return counted;
  }

  const SeekEpoch records;

 private:
  const ArrangeOptions& arrange_;
  const RowFit fit_;
};

// The rows that wait before part `end`: the last of each queue, as many as fill
// no batch.
std::vector<HeldPiece> HeldBefore(const EpochRows& epoch,
                                  const std::vector<Part>& parts, uint64_t end,
                                  const std::vector<uint64_t>& waiting) {
  // Back to where all of them have come.
  std::vector<uint64_t> missing = waiting;
  uint64_t begin = end;
  while (begin > 0 &&
         std::ranges::any_of(missing, [](uint64_t rows) { return rows > 0; })) {
    --begin;
    for (size_t queue = 0; queue < missing.size(); ++queue) {
      missing[queue] -=
          std::min<uint64_t>(missing[queue], parts[begin].rows[queue]);
    }
  }
  std::vector<std::vector<uint64_t>> records(epoch.queues());
  for (uint64_t part = begin; part < end; ++part) {
    epoch.ForEach(part, [&](uint64_t record, size_t queue) {
      if (waiting[queue] > 0) records[queue].push_back(record);
    });
  }
  std::vector<HeldPiece> held;
  for (size_t queue = 0; queue < records.size(); ++queue) {
    const auto& all = records[queue];
    for (size_t i = all.size() - waiting[queue]; i < all.size(); ++i) {
      held.push_back({.record = all[i]});
    }
  }
  return held;
}

// Adds what `epochs` whole epochs are.
void AddEpochs(const Forecast& forecast, uint64_t epochs, State& state) {
  uint64_t rows = 0;
  for (const uint64_t in_queue : forecast.queue_rows) rows += in_queue;
  rows -= forecast.left_over_dropped;
  const uint64_t dropped = forecast.dropped + forecast.left_over_dropped;
  state.epoch += epochs;
  state.step += epochs * forecast.steps;
  state.counts.records += epochs * rows;
  state.counts.rows += epochs * rows;
  state.counts.pad_rows += epochs * forecast.pad_rows;
  state.counts.dropped += epochs * dropped;
  state.counts.truncated += epochs * forecast.truncated;
}

// The state at the beginning of the epoch that step `step` is in; after the
// last step of an epoch it has not yet ended.
StatusOr<State> BeginOfEpoch(const PlanFacts& facts, uint64_t step,
                             TaskQueue& tasks, const SeekOptions& options) {
  State state = {.graph = facts.steps.graph};
  const uint64_t epochs = facts.steps.epochs;
  if (facts.order->epochs_share() != InCommon::kNothing) {
    const uint64_t steps = facts.forecast.steps;
    if (steps == 0 || (epochs != 0 && (step - 1) / steps >= epochs)) {
      return FailedPreconditionError(
          fmt::format("step {} of a run of {} steps: {} epochs of {}", step,
                      epochs * steps, epochs, steps));
    }
    AddEpochs(facts.forecast, (step - 1) / steps, state);
    return state;
  }
  for (;;) {
    if (options.stop.stop_requested()) return PipelineCancelled();
    if (epochs != 0 && state.epoch == epochs) {
      return FailedPreconditionError(
          fmt::format("step {} of a run of {} steps in {} epochs", step,
                      state.step, epochs));
    }
    const Forecast forecast = facts.ForecastOf(state.epoch, tasks);
    if (state.step + forecast.steps >= step) return state;
    AddEpochs(forecast, 1, state);
  }
}

// The state at the last border of parts that comes before step `step` of the
// run is made. `state` is that of its epoch's beginning.
StatusOr<State> StateBefore(const PlanFacts& facts, State state, uint64_t step,
                            TaskQueue& tasks, const SeekOptions& options) {
  const EpochRows epoch(facts, state.epoch);
  step -= state.step;
  std::vector<Part> parts(epoch.records.parts());
  std::vector<uint64_t> waiting(epoch.queues());
  uint64_t part = 0;        // up to which the state has come
  uint64_t in_batches = 0;  // rows
  const auto count = [&](uint64_t i) { parts[i] = epoch.Count(i); };
  const auto go_on = [&](uint64_t counted) {
    for (; part < counted; ++part) {
      uint64_t steps = state.step_in_epoch;
      for (size_t queue = 0; queue < waiting.size(); ++queue) {
        steps += (waiting[queue] + parts[part].rows[queue]) /
                 facts.arrange.RowsOf(queue);
      }
      if (steps >= step) return true;
      for (size_t queue = 0; queue < waiting.size(); ++queue) {
        const uint64_t rows = waiting[queue] + parts[part].rows[queue];
        waiting[queue] = rows % facts.arrange.RowsOf(queue);
        in_batches += rows - waiting[queue];
      }
      state.step_in_epoch = steps;
      state.counts.dropped += parts[part].counts.dropped;
      state.counts.truncated += parts[part].counts.truncated;
    }
    return false;
  };
  PENSTOCK_RETURN_IF_ERROR(
      epoch.records.LookUntil({.done = step, .of = facts.forecast.steps}, count,
                              go_on, tasks, options));
  state.position = epoch.records.BeginOf(part);
  state.held = HeldBefore(epoch, parts, part, waiting);
  state.counts.rows += in_batches;
  state.counts.records += in_batches;
  state.step += state.step_in_epoch;
  return state;
}

// Where only the run itself says which rows a step has.
StatusOr<State> WalkToStep(const PlanFacts& facts, uint64_t step,
                           const SeekOptions& options) {
  constexpr uint64_t kStepsAtOnce = 64;
  Plan plan = facts.MakePlan();
  if (options.from) {
    const uint64_t begin = options.from->step;
    if (step < begin) {
      return FailedPreconditionError(fmt::format(
          "step {} lies before step {}, from which a run that has changed goes "
          "on: ask a pipeline of the graph that made it",
          step, begin));
    }
    PENSTOCK_RETURN_IF_ERROR(plan.Load(*options.from));
    if (step == begin) return *options.from;
  }
  Step made;
  for (;;) {
    PENSTOCK_ASSIGN_OR_RETURN(const bool more, plan.Next(options.stop, made));
    if (!more) {
      return FailedPreconditionError(
          fmt::format("step {} of a run of {} steps: {} epochs", step,
                      plan.steps().now().step, facts.steps.epochs));
    }
    const uint64_t done = made.after.step;
    if (options.progress && (done % kStepsAtOnce == 0 || done == step)) {
      const State& now = made.after;
      const uint64_t records =
          now.epoch * facts.order->records() + now.position;
      options.progress(records, done == step ? records : records * step / done);
    }
    if (done == step) return std::move(made.after);
  }
}

}  // namespace

StatusOr<Step> StepAfter(const PlanFacts& facts, uint64_t step,
                         TaskQueue& tasks, const SeekOptions& options) {
  PENSTOCK_ASSIGN_OR_RETURN(const State state,
                            SeekStep(facts, step, tasks, options));
  Plan plan = facts.MakePlan();
  PENSTOCK_RETURN_IF_ERROR(plan.Load(state));
  Step made;
  PENSTOCK_ASSIGN_OR_RETURN(const bool more, plan.Next(options.stop, made));
  if (more) return made;
  return FailedPreconditionError(
      fmt::format("step {} of a run of {}, which count from 0", step, step));
}

StatusOr<State> SeekStep(const PlanFacts& facts, uint64_t step,
                         TaskQueue& tasks, const SeekOptions& options) {
  if (options.from) return WalkToStep(facts, step, options);
  if (step == 0) return State{.graph = facts.steps.graph};
  const bool sums = ChunkStatesAreSums(facts);
  if (facts.arrange.shares || facts.steps.Carries() ||
      (facts.arrange.pack && !sums)) {
    return WalkToStep(facts, step, options);
  }
  State before;
  if (sums) {
    PENSTOCK_ASSIGN_OR_RETURN(before,
                              ChunkStateBefore(facts, step, tasks, options));
  } else {
    PENSTOCK_ASSIGN_OR_RETURN(State begin,
                              BeginOfEpoch(facts, step, tasks, options));
    PENSTOCK_ASSIGN_OR_RETURN(
        before, StateBefore(facts, std::move(begin), step, tasks, options));
  }
  Plan plan = facts.MakePlan();
  PENSTOCK_RETURN_IF_ERROR(plan.Load(before));
  Step made;
  for (;;) {
    PENSTOCK_ASSIGN_OR_RETURN(const bool more, plan.Next(options.stop, made));
    if (!more) return InternalError("a plan ended before its last step");
    if (made.after.step == step) return std::move(made.after);
  }
}

}  // namespace penstock
