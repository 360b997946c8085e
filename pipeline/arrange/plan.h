// The planned placement's arithmetic: all steps of a run, in order, before any
// data is read. Every host computes the same ones.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/arrange/planned_rows.h"
#include "pipeline/arrange/steps.h"
#include "pipeline/order/lengths.h"
#include "pipeline/order/order.h"

namespace penstock {

// The error for a row that is too long.
using RefuseRow = std::function<Status(const Row&)>;

// Threads: one at a time.
// Cost:    about 30 ns a row; memory for the rows that wait.
class Plan {
 public:
  Plan(std::shared_ptr<const Order> order, LengthTable lengths, Steps steps,
       RefuseRow too_long = {});

  // The next step in place of `out`, whose memory is used again; false after
  // the last.
  // Errors:  kCancelled once `stop` was requested; those of Steps; for a row
  //          that is too long, where that is one, what RefuseRow makes of
  //          it. Where epochs have the same records it is refused before.
  StatusOr<bool> Next(const std::stop_token& stop, Step& out);

  // Goes on after `state`; before the first Next(). O(1) but for the rows that
  // wait in it.
  // Errors:  kFailedPrecondition for a position that the run does not have.
  Status Load(const State& state);

  const Steps& steps() const { return steps_; }

 private:
  void Fill();
  Row RowOf(const HeldPiece& piece) const;
  // Of the current epoch.
  const Order& order() const {
    const MixOrder* const mix = steps_.mix();
    return mix != nullptr ? *mix : *order_;
  }

  std::shared_ptr<const Order> order_;
  LengthTable lengths_;
  Steps steps_;
  RefuseRow too_long_;
  uint64_t filled_ = 0;  // positions of the epoch that were in rows_
  PlannedRows rows_;
  std::span<const Row> left_;        // of rows_
  std::vector<Row> ahead_;           // of a state that was loaded
  std::span<const Row> ahead_left_;  // of ahead_
};

}  // namespace penstock
