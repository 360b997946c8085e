#include "pipeline/seek/chunk_seek.h"

#include <fmt/format.h>

#include <vector>

#include "pipeline/seek/seek_epoch.h"

namespace penstock {
namespace {

// Whole epochs, each of which ends with rows that pad.
PipelineCounts ChunkCounts(const PlanFacts& facts, uint64_t epochs) {
  const auto length = static_cast<uint64_t>(facts.arrange.lengths.back());
  const uint64_t rows = (facts.forecast.values + length - 1) / length;
  const uint64_t all = *facts.forecast.pack->exact_steps * facts.arrange.rows;
  return {.records = epochs * facts.order->records(),
          .rows = epochs * rows,
          .pad_rows = epochs * (all - rows)};
}

}  // namespace

bool ChunkStatesAreSums(const PlanFacts& facts) {
  return !facts.order->has_parts() && facts.forecast.pack &&
         facts.forecast.pack->exact_steps &&
         *facts.forecast.pack->exact_steps > 0 &&
         facts.steps.leftover == Leftover::kPad && !facts.lengths.leaves_out();
}

StatusOr<State> ChunkStateBefore(const PlanFacts& facts, uint64_t step,
                                 TaskQueue& tasks, const SeekOptions& options) {
  const uint64_t steps = *facts.forecast.pack->exact_steps;
  const uint64_t epochs = facts.steps.epochs;
  if (epochs != 0 && (step - 1) / steps >= epochs) {
    return FailedPreconditionError(
        fmt::format("step {} of a run of {} steps: {} epochs of {}", step,
                    epochs * steps, epochs, steps));
  }
  State state = {.graph = facts.steps.graph,
                 .epoch = (step - 1) / steps,
                 .step = step - 1,
                 .step_in_epoch = (step - 1) % steps};
  state.counts = ChunkCounts(facts, state.epoch);
  // Values of the epoch that the steps before have taken.
  const uint64_t rows = state.step_in_epoch * facts.arrange.rows;
  uint64_t left = rows * static_cast<uint64_t>(facts.arrange.lengths.back());
  const SeekEpoch epoch(facts, state.epoch);
  std::vector<uint64_t> sums(epoch.parts());
  const auto sum = [&](uint64_t i) {
    uint64_t values = 0;
    epoch.ForEach(i, [&](uint64_t, uint32_t length) { values += length; });
    sums[i] = values;
  };
  uint64_t part = 0;
  const auto go_on = [&](uint64_t summed) {
    while (part < summed && sums[part] <= left) left -= sums[part++];
    return part < summed;
  };
  PENSTOCK_RETURN_IF_ERROR(epoch.LookUntil(
      {.done = state.step_in_epoch, .of = steps}, sum, go_on, tasks, options));
  state.position = epoch.BeginOf(part);
  uint64_t cut = 0;  // record
  bool found = false;
  if (part < epoch.parts()) {
    epoch.ForEach(part, [&](uint64_t record, uint32_t length) {
      if (found) return;
      if (length > left) {
        found = true;
        cut = record;
      } else {
        left -= length;
        ++state.position;
      }
    });
  }
  state.counts.records += state.position;
  state.counts.rows += rows;
  if (left > 0) {
    state.held = {{.record = cut, .begin = static_cast<uint32_t>(left)}};
    ++state.position;
  }
  return state;
}

}  // namespace penstock
