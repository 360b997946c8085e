#include "pipeline/arrange/plan_seek.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "pipeline/arrange/chunk_seek.h"
#include "pipeline/arrange/row_fit.h"
#include "pipeline/tasks/cancelled.h"
#include "pipeline/tasks/parallel_for.h"

namespace penstock {
namespace {

constexpr uint64_t kPartRecords = 65536;

// What some rows that follow each other add to each queue.
struct Part {
  std::vector<uint32_t> rows;  // [queues]
  ArrangeCounts counts;
};

// The rows of an epoch, a part at a time.
class Epoch {
 public:
  Epoch(const PlanFacts& facts, uint64_t epoch)
      : facts_(facts),
        epoch_(epoch),
        fit_(facts.arrange.lengths, facts.arrange.too_long) {}

  size_t queues() const {
    return facts_.arrange.one_queue ? 1 : facts_.arrange.lengths.size();
  }
  uint64_t records() const { return facts_.order->records(); }
  uint64_t parts() const {
    return (records() + kPartRecords - 1) / kPartRecords;
  }

  // Calls take(record, queue) for each row of the part that is not dropped.
  template <typename Take>
  ArrangeCounts ForEach(uint64_t part, Take take) const {
    const uint64_t first = part * kPartRecords;
    std::vector<uint64_t> ids(std::min(kPartRecords, records() - first));
    std::vector<uint32_t> lengths(ids.size());
    facts_.order->Fill(epoch_, first, ids);
    facts_.lengths.Look(ids, lengths);
    ArrangeCounts counts;
    for (size_t i = 0; i < ids.size(); ++i) {
      Row row = {.record = ids[i], .length = lengths[i]};
      if (fit_.Admit(row, counts) != Admission::kTaken) continue;
      take(ids[i], facts_.arrange.one_queue ? 0 : fit_.ShapeOf(row.length));
    }
    return counts;
  }

  Part Count(uint64_t part) const {
    Part counted = {.rows = std::vector<uint32_t>(queues()), .counts = {}};
    counted.counts =
        ForEach(part, [&](uint64_t, size_t queue) { ++counted.rows[queue]; });
    return counted;
  }

 private:
  const PlanFacts& facts_;
  const uint64_t epoch_;
  const RowFit fit_;
};

StatusOr<std::vector<Part>> CountParts(const Epoch& epoch, TaskQueue& tasks,
                                       const SeekOptions& options) {
  std::vector<Part> parts(epoch.parts());
  std::mutex mutex;
  uint64_t done = 0;
  PENSTOCK_RETURN_IF_ERROR(
      ParallelFor(tasks, parts.size(), options.stop, [&](uint64_t part) {
        parts[part] = epoch.Count(part);
        if (!options.progress) return;
        const std::lock_guard lock(mutex);
        done += std::min(kPartRecords, epoch.records() - part * kPartRecords);
        options.progress(done, epoch.records());
      }));
  return parts;
}

// The rows that wait before part `end`: the last of each queue, as many as fill
// no batch.
std::vector<HeldPiece> HeldBefore(const Epoch& epoch,
                                  const std::vector<Part>& parts, uint64_t end,
                                  std::vector<uint64_t> waiting) {
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
// epoch is made.
// `state` is that of the epoch's beginning.
StatusOr<State> StateBefore(const PlanFacts& facts, State state, uint64_t step,
                            TaskQueue& tasks, const SeekOptions& options) {
  const Epoch epoch(facts, state.epoch);
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<Part> parts,
                            CountParts(epoch, tasks, options));
  step -= state.step;
  std::vector<uint64_t> waiting(epoch.queues());
  uint64_t part = 0;
  uint64_t in_batches = 0;  // rows
  for (; part < parts.size(); ++part) {
    uint64_t steps = state.step_in_epoch;
    for (size_t queue = 0; queue < waiting.size(); ++queue) {
      steps += (waiting[queue] + parts[part].rows[queue]) /
               facts.arrange.RowsOf(queue);
    }
    if (steps >= step) break;
    for (size_t queue = 0; queue < waiting.size(); ++queue) {
      const uint64_t rows = waiting[queue] + parts[part].rows[queue];
      waiting[queue] = rows % facts.arrange.RowsOf(queue);
      in_batches += rows - waiting[queue];
    }
    state.step_in_epoch = steps;
    state.counts.dropped += parts[part].counts.dropped;
    state.counts.truncated += parts[part].counts.truncated;
  }
  state.position = std::min(part * kPartRecords, epoch.records());
  state.held = HeldBefore(epoch, parts, part, std::move(waiting));
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

Plan PlanFacts::MakePlan() const {
  return Plan(order, lengths, Steps(MakeArranger(arrange), steps), too_long);
}

Forecast PlanFacts::ForecastOf(uint64_t epoch, TaskQueue& tasks) const {
  if (!steps.Carries() || epoch + 1 != steps.epochs) {
    return ForecastEpoch(*order, epoch, lengths, arrange,
                         steps.leftover == Leftover::kPad, tasks);
  }
  // What is carried to the end of the run pads there.
  ArrangeOptions last = arrange;
  std::ranges::replace(last.leftovers, Leftover::kCarry, Leftover::kPad);
  return ForecastEpoch(*order, epoch, lengths, last, /*keep_left_over=*/true,
                       tasks);
}

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
