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

// What packing rows will be like, as their order decides: told from packing
// some.
struct PackForecast {
  uint64_t records = 0;  // that were packed to know this
  double fill = 0;       // part of the values of rows that is no padding
  double segments = 0;   // records of a row, or parts of them
  double steps = 0;      // of an epoch
  // What the dearest part of a batch costs over the mean, on average: as rows
  // come, and as they are placed. 0 without a balance.
  double dearest_before = 0;
  double dearest_after = 0;
  std::optional<uint64_t> exact_steps = {};  // where all epochs have as many
};

// None of this depends on the order of records, so it holds for every epoch
// that has the same; `padding` of batches padded to their longest row is what a
// random order is expected to need.
struct Forecast {
  // Where rows are packed there is more to know: steps, pad_rows, left_over and
  // padding, which depend on the order, are 0 then.
  std::optional<PackForecast> pack = {};
  // Rows are of one host each, and what they leave over depends on the order.
  bool depends_on_shares = false;
  uint64_t values = 0;          // of all rows that are not dropped
  uint64_t without_values = 0;  // rows
  uint64_t steps = 0;
  uint64_t pad_rows = 0;
  uint64_t left_over = 0;  // rows that fill no batch; in pad_rows' batches
                           // under Leftover::kPad, otherwise left out
  uint64_t left_over_dropped = 0;  // those of them
  uint64_t dropped = 0;            // too long, or withdrawn
  uint64_t left_out = 0;           // of these, withdrawn
  uint64_t truncated = 0;
  std::vector<uint64_t> queue_rows;  // of each of the arranger's queues
  // Part of all values in batches that is padding, from 0 to 1.
  double padding = 0;
  // The first record that is too long, under TooLong::kError.
  std::optional<uint64_t> too_long;
  // The first queue that does not end with a full batch; where queues fare in
  // other ways, the first of those of which that is an error.
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
