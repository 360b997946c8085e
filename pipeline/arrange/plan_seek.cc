#include "pipeline/arrange/plan_seek.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "pipeline/arrange/row_fit.h"
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

// What whole epochs add to the counts.
PipelineCounts CountsOf(const PlanFacts& facts, uint64_t epochs) {
  const Forecast& forecast = facts.forecast;
  const bool drops = facts.steps.leftover == Leftover::kDrop;
  uint64_t rows = 0;
  for (const uint64_t in_queue : forecast.queue_rows) rows += in_queue;
  if (drops) rows -= forecast.left_over;
  const uint64_t dropped = forecast.dropped + (drops ? forecast.left_over : 0);
  return {.records = epochs * rows,
          .rows = epochs * rows,
          .pad_rows = epochs * forecast.pad_rows,
          .dropped = epochs * dropped,
          .truncated = epochs * forecast.truncated};
}

// The state at the last border of parts that comes before step `step` of the
// epoch is made.
StatusOr<State> StateBefore(const PlanFacts& facts, uint64_t epoch_number,
                            uint64_t step, TaskQueue& tasks,
                            const SeekOptions& options) {
  const Epoch epoch(facts, epoch_number);
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<Part> parts,
                            CountParts(epoch, tasks, options));
  State state = {.graph = facts.steps.graph, .epoch = epoch_number};
  state.counts = CountsOf(facts, epoch_number);
  std::vector<uint64_t> waiting(epoch.queues());
  uint64_t part = 0;
  for (; part < parts.size(); ++part) {
    uint64_t steps = state.step_in_epoch;
    for (size_t queue = 0; queue < waiting.size(); ++queue) {
      steps += (waiting[queue] + parts[part].rows[queue]) / facts.arrange.rows;
    }
    if (steps >= step) break;
    for (size_t queue = 0; queue < waiting.size(); ++queue) {
      waiting[queue] =
          (waiting[queue] + parts[part].rows[queue]) % facts.arrange.rows;
    }
    state.step_in_epoch = steps;
    state.counts.dropped += parts[part].counts.dropped;
    state.counts.truncated += parts[part].counts.truncated;
  }
  state.position = std::min(part * kPartRecords, epoch.records());
  state.held = HeldBefore(epoch, parts, part, std::move(waiting));
  state.counts.rows += state.step_in_epoch * facts.arrange.rows;
  state.counts.records += state.step_in_epoch * facts.arrange.rows;
  state.step = epoch_number * facts.forecast.steps + state.step_in_epoch;
  return state;
}

}  // namespace

Plan PlanFacts::MakePlan() const {
  return Plan(order, lengths, Steps(MakeArranger(arrange), steps));
}

StatusOr<State> SeekStep(const PlanFacts& facts, uint64_t step,
                         TaskQueue& tasks, const SeekOptions& options) {
  if (step == 0) return State{.graph = facts.steps.graph};
  const uint64_t steps = facts.forecast.steps;
  const uint64_t epochs = facts.steps.epochs;
  if (steps == 0 || (epochs != 0 && step > epochs * steps)) {
    return FailedPreconditionError(
        fmt::format("step {} of a run of {} steps: {} epochs of {}", step,
                    epochs * steps, epochs, steps));
  }
  // After the last step of an epoch it has not yet ended.
  const uint64_t epoch = (step - 1) / steps;
  const uint64_t step_in_epoch = step - epoch * steps;
  PENSTOCK_ASSIGN_OR_RETURN(
      const State before,
      StateBefore(facts, epoch, step_in_epoch, tasks, options));
  Plan plan = facts.MakePlan();
  PENSTOCK_RETURN_IF_ERROR(plan.Load(before));
  for (;;) {
    PENSTOCK_ASSIGN_OR_RETURN(std::optional<Step> made,
                              plan.Next(options.stop));
    if (!made) return InternalError("a plan ended before its last step");
    if (made->after.step == step) return std::move(made->after);
  }
}

}  // namespace penstock
