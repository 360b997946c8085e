// The planned placement's arithmetic: all assignments of a run, in order,
// before any data is read. Every host computes the same ones.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/arrange/arranger.h"
#include "pipeline/order/lengths.h"
#include "pipeline/order/order.h"

namespace penstock {

struct PlanOptions {
  Order order;
  LengthTable lengths;
  // One shard of all rows of a batch.
  ArrangeOptions arrange;
  uint64_t epochs = 1;  // 0 for ever
  bool keep_left_over = true;
};

// One batch of the plan; rows i of it belong to shard i / (rows / shards).
struct PlannedStep {
  Assignment assignment;
  uint64_t epoch = 0;
  uint64_t step_in_epoch = 0;
  // Since the plan began or was sought, this step's included.
  uint64_t dropped = 0;
  uint64_t truncated = 0;
};

// Threads: one at a time.
// Cost:    O(1) a row; memory for the rows that wait, at most a batch a queue.
class Plan {
 public:
  explicit Plan(PlanOptions options);

  // The next step; nullopt after the last. Rows that are too long must have
  // been refused before (ForecastEpoch) where they are an error.
  std::optional<PlannedStep> Next();

  // Goes on after `step_in_epoch` steps of `epoch`, which may be its end.
  // False where the epoch has fewer steps or the run fewer epochs.
  // Cost:  that of the epoch's steps before it; O(1) without lengths.
  bool Seek(uint64_t epoch, uint64_t step_in_epoch);

  // Since the plan began or was sought.
  uint64_t dropped() const { return dropped_; }
  uint64_t truncated() const { return truncated_; }

 private:
  bool NextInEpoch(Assignment& out);
  void BeginEpoch(uint64_t epoch);
  void Fill();

  const PlanOptions options_;
  Arranger arranger_;
  uint64_t epoch_ = 0;
  uint64_t step_in_epoch_ = 0;
  uint64_t position_ = 0;      // of the first row not in ids_
  std::vector<uint64_t> ids_;  // the next rows
  size_t used_ = 0;            // of ids_
  uint64_t dropped_ = 0;
  uint64_t truncated_ = 0;
};

}  // namespace penstock
