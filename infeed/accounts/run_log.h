// What the devices of a run were given, written down as they take it.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "infeed/accounts/batch_digest.h"
#include "infeed/accounts/record_census.h"
#include "infeed/accounts/step_times.h"
#include "infeed/sharding/core_slice.h"
#include "pipeline/state.h"

namespace penstock {

struct RowCounts {
  uint64_t examples = 0;  // rows of weight 1
  uint64_t pad_rows = 0;
  // Values of the first feature that has the bucket's length: the sum of its
  // lengths; 0 without one. Padding is not counted.
  uint64_t real_tokens = 0;
  // Rows times bucket length, padding included.
  uint64_t all_tokens = 0;
  uint64_t bytes = 0;  // of tensors, as they go to the devices

  RowCounts& operator+=(const RowCounts& other);
  // Tokens that pad as a part of all; rows where there are no tokens.
  double padding_percent() const;
};

struct ShapeCounts {
  uint64_t steps = 0;
  RowCounts rows = {};
};

// What the devices of one process took.
struct RunLogPart {
  std::vector<RowCounts> rows = {};  // of each shape
  uint64_t batch_digest = 0;
  RecordDigest record_digest = {};
  std::vector<EpochMarks> marks = {};
};

// Threads: any number at a time.
class RunLog {
 public:
  RunLog(std::optional<uint64_t> records_per_epoch, size_t shapes,
         CensusKeeps keeps = CensusKeeps::kLastTwo);

  // A device took a slice. Copies of rows that another device took must be left
  // out.
  void AddSlice(const CoreSlice& slice);
  // All devices did a step. From one thread.
  void AddStep(const StepSpan& span, const CoreSlice& slice);

  // A device was free of what it sent back behind a step at `free_ns`. Steps
  // before the last two are forgotten.
  void AddOutfeed(uint64_t step, int64_t free_ns);
  // When the last one of this process was; 0 where none sent anything.
  int64_t OutfeedFreeNs(uint64_t step) const;

  // What the devices took until now.
  RowCounts rows_now() const {
    const std::lock_guard lock(mutex_);
    return rows_;
  }

  // Once the run is over: all of this one's, and adding another process'.
  RunLogPart Part() const;
  void Merge(const RunLogPart& part);

  // Once the run is over.
  const RowCounts& rows() const { return rows_; }
  uint64_t batch_digest() const { return batch_digest_.value(); }
  const RecordCensus& census() const { return census_; }
  const std::vector<StepSpan>& steps() const { return steps_; }
  // Steps of each shape, and what they held.
  const std::vector<ShapeCounts>& shapes() const { return shapes_; }
  // After the last step; nullopt without a step.
  const std::optional<State>& state() const { return state_; }

 private:
  mutable std::mutex mutex_;
  // Guarded by mutex_ until the run is over.
  RowCounts rows_;
  BatchDigest batch_digest_;
  RecordCensus census_;
  std::vector<StepSpan> steps_;
  std::vector<ShapeCounts> shapes_;
  std::optional<State> state_;
  struct SentBack {
    uint64_t step = 0;
    int64_t free_ns = 0;
  };
  std::array<SentBack, 2> sent_back_ = {};  // of odd and of even steps
};

}  // namespace penstock
