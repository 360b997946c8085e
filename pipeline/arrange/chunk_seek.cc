#include "pipeline/arrange/chunk_seek.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "pipeline/tasks/parallel_for.h"

namespace penstock {
namespace {

constexpr uint64_t kSumRecords = 65536;

// The records of an epoch in their order, a part at a time.
class ChunkEpoch {
 public:
  ChunkEpoch(const PlanFacts& facts, uint64_t epoch)
      : facts_(facts), epoch_(epoch) {}

  uint64_t records() const { return facts_.order->records(); }
  uint64_t parts() const { return (records() + kSumRecords - 1) / kSumRecords; }
  uint64_t SizeOf(uint64_t part) const {
    return std::min(kSumRecords, records() - part * kSumRecords);
  }
  void Look(uint64_t part, std::vector<uint64_t>& ids,
            std::vector<uint32_t>& lengths) const {
    ids.resize(SizeOf(part));
    lengths.resize(ids.size());
    facts_.order->Fill(epoch_, part * kSumRecords, ids);
    facts_.lengths.Look(ids, lengths);
  }

 private:
  const PlanFacts& facts_;
  const uint64_t epoch_;
};

StatusOr<std::vector<uint64_t>> SumParts(const ChunkEpoch& epoch,
                                         TaskQueue& tasks,
                                         const SeekOptions& options) {
  std::vector<uint64_t> sums(epoch.parts());
  std::mutex mutex;
  uint64_t done = 0;
  PENSTOCK_RETURN_IF_ERROR(
      ParallelFor(tasks, sums.size(), options.stop, [&](uint64_t part) {
        std::vector<uint64_t> ids;
        std::vector<uint32_t> lengths;
        epoch.Look(part, ids, lengths);
        for (const uint32_t length : lengths) sums[part] += length;
        if (!options.progress) return;
        const std::lock_guard lock(mutex);
        done += ids.size();
        options.progress(done, epoch.records());
      }));
  return sums;
}

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
  const ChunkEpoch epoch(facts, state.epoch);
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<uint64_t> sums,
                            SumParts(epoch, tasks, options));
  // Values of the epoch that the steps before have taken.
  const uint64_t rows = state.step_in_epoch * facts.arrange.rows;
  uint64_t left = rows * static_cast<uint64_t>(facts.arrange.lengths.back());
  uint64_t part = 0;
  while (part + 1 < sums.size() && sums[part] <= left) left -= sums[part++];
  std::vector<uint64_t> ids;
  std::vector<uint32_t> lengths;
  epoch.Look(part, ids, lengths);
  size_t record = 0;
  while (record < ids.size() && lengths[record] <= left) {
    left -= lengths[record++];
  }
  state.position = part * kSumRecords + record;
  state.counts.records += state.position;
  state.counts.rows += rows;
  if (left > 0) {
    state.held = {
        {.record = ids[record], .begin = static_cast<uint32_t>(left)}};
    ++state.position;
  }
  return state;
}

}  // namespace penstock
