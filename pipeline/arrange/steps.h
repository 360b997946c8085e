// The rows of epochs -> the steps of a run, each with the state after it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/arrange/arranger.h"
#include "pipeline/arrange/rows.h"
#include "pipeline/dataset.h"
#include "pipeline/order/mix_epochs.h"
#include "pipeline/state.h"

namespace penstock {

struct StepOptions {
  Leftover leftover = Leftover::kPad;
  // Of each of the arranger's queues; empty: the same of all.
  std::vector<Leftover> leftovers = {};
  uint64_t epochs = 1;  // 0 for ever
  // Of an epoch, that are in no row: they count as dropped where it ends.
  uint64_t cut_records = 0;
  SharedList<StatePart> graph = {};
  MixEpochs mix = {};  // where the order is one
  RowIds row_ids = {};

  Leftover LeftoverOf(size_t queue) const {
    return leftovers.empty() ? leftover : leftovers[queue];
  }
  // Whether batches may have rows of two epochs.
  bool Carries() const;
};

struct Step {
  Assignment assignment;
  uint64_t epoch = 0;
  State after;
};

enum class StepResult {
  kWantsRows,  // all rows were taken
  kStep,       // a step was made
  kTooLong,    // the first row that is left is too long
};

// kFailedPrecondition unless an epoch of `records` records has the state's
// position.
Status CheckPosition(const State& state, uint64_t records);

// Threads: one at a time.
// Cost:    that of the arranger, and a copy of what waits for each step.
class Steps {
 public:
  Steps(std::unique_ptr<Arranger> arranger, StepOptions options);

  // Takes rows from the front of `rows` until one of them makes a step; none
  // where what waits makes one. The last row is the last one of its record.
  StepResult Add(std::span<const Row>& rows, Step& out);
  // The same for those of state.ahead, which come first and are at no position.
  StepResult AddAhead(std::span<const Row>& rows, Step& out);

  // After the rows of an epoch: true where `out` is a step of what was left
  // over; to be called until it is false, when the next epoch begins.
  // Errors:  kFailedPrecondition for rows left over under Leftover::kError, and
  //          for an epoch without a step in a run that repeats for ever.
  StatusOr<bool> EndEpoch(Step& out);

  // Whether there is another epoch, or the rest of one.
  bool more() const {
    return options_.epochs == 0 || now_.epoch < options_.epochs;
  }

  // Goes on after `state`; rows[i] is that of state.held[i].record.
  // Errors:  kFailedPrecondition where this run cannot have been there.
  Status Load(const State& state, std::span<const Row> rows);

  // After the last step; its `held` is empty.
  const State& now() const { return now_; }
  State& now() { return now_; }
  // The mix of this epoch; null where the order is none.
  const MixOrder* mix() const { return options_.mix.Of(now_.epoch); }
  const Arranger& arranger() const { return *arranger_; }
  bool carries() const { return options_.Carries(); }
  // Of everything up to the last row taken.
  PipelineCounts counts() const;

 private:
  void Pass(std::span<const Row> taken, std::span<const Row> left);
  StepResult AfterAdd(const Arranged& arranged, Step& out);
  void MakeStep(Step& out);

  std::unique_ptr<Arranger> arranger_;
  StepOptions options_;
  State now_;
  PipelineCounts loaded_;  // of the state that was loaded
  uint64_t left_over_dropped_ = 0;
};

}  // namespace penstock
