// What an epoch will be, told from lengths alone before any data is read.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/arrange/arranger.h"
#include "pipeline/order/lengths.h"
#include "pipeline/order/order.h"
#include "pipeline/tasks/task_queue.h"

namespace penstock {

// None of this depends on the order of records, so it holds for every epoch
// that has the same; `padding` of batches padded to their longest row is what a
// random order is expected to need.
struct Forecast {
  uint64_t steps = 0;
  uint64_t pad_rows = 0;
  uint64_t left_over = 0;  // rows that fill no batch; in pad_rows' batches
                           // under Leftover::kPad, otherwise left out
  uint64_t dropped = 0;    // too long
  uint64_t truncated = 0;
  std::vector<uint64_t> queue_rows;  // of each of the arranger's queues
  // Part of all values in batches that is padding, from 0 to 1.
  double padding = 0;
  // The first record that is too long, under TooLong::kError.
  std::optional<uint64_t> too_long;
  // The first queue that does not end with a full batch.
  std::optional<size_t> left_over_queue;
};

// Cost:  one pass over the lengths by all of `tasks`' threads; memory for one
//        number of each length for each part of a million records.
Forecast ForecastEpoch(uint64_t records, const LengthTable& lengths,
                       const ArrangeOptions& options, bool keep_left_over,
                       TaskQueue& tasks);

// The same of the records that an epoch of `order` has.
//
// Cost:  that of the order and a look at each length, by all threads.
Forecast ForecastEpoch(const Order& order, uint64_t epoch,
                       const LengthTable& lengths,
                       const ArrangeOptions& options, bool keep_left_over,
                       TaskQueue& tasks);

}  // namespace penstock
