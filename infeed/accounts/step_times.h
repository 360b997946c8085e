// How long steps took, and how much of that was the input's fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace penstock {

// One step as all devices had it.
struct StepSpan {
  int64_t outfeed_ns = 0;  // before free_ns: some had no place to send back to
  int64_t free_ns = 0;     // the devices were done with the step before
  int64_t begin_ns = 0;    // the last of them was ready for this one
  int64_t compile_ns = 0;
  int64_t end_ns = 0;
  size_t shape = 0;  // number of its length in Contract::lengths

  // From end to end, waits for the outfeed included.
  int64_t took_ns() const { return end_ns + outfeed_ns - free_ns; }
};

// One step as one device had it; each time is no earlier than the one before.
struct CoreSpan {
  int64_t free_ns = 0;     // done with the step before
  int64_t pushed_ns = 0;   // its batch was handed over
  int64_t ready_ns = 0;    // and on board
  int64_t begin_ns = 0;    // all devices were ready
  int64_t compute_ns = 0;  // the step itself began: compiled
  int64_t end_ns = 0;
  int64_t sent_ns = 0;   // what it sends back had a place
  int64_t saved_ns = 0;  // and no checkpoint was in the way
  // How long its batch was on the link, which does one after the other.
  int64_t transfer_ns = 0;
  uint64_t transfer_bytes = 0;
};

// Bounds of 5 and 20 per cent of step time.
// Source:  XProf's input pipeline analyser.
enum class InputBound { kNot, kModerately, kHighly };
// "NOT input bound", ...
std::string_view InputBoundName(InputBound bound);
// "HIGHLY outfeed bound", ...
std::string_view OutfeedBoundName(InputBound bound);
InputBound InputBoundOf(double infeed_percent);

struct StepSummary {
  uint64_t steps = 0;
  // Of the steps' times from end to end, waits for the outfeed included;
  // nearest rank. The first step and those that compile are left out where
  // others remain.
  int64_t p50_ns = 0;
  int64_t p90_ns = 0;
  int64_t p99_ns = 0;
  int64_t max_ns = 0;
  // Of those steps' waits for input, from when the devices were free until the
  // last of them had its batch; nearest rank.
  int64_t wait_p50_ns = 0;
  int64_t wait_p99_ns = 0;
  int64_t wait_max_ns = 0;
  // Time in which devices stood still for input, own or a peer's, as a part of
  // step time; over the same steps.
  double infeed_percent = 0;
  // The same for the outfeed.
  double outfeed_percent = 0;
  // Compute as a part of the time from the first step's begin to the last
  // one's end; what MLPerf Storage calls accelerator utilisation.
  double au_percent = 0;
};

StepSummary Summarize(std::span<const StepSpan> steps);

}  // namespace penstock
