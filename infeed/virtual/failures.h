// A run whose hosts fail, go back to the last save and do steps again.
#pragma once

#include <cstdint>
#include <span>

#include "formats/files/status_or.h"
#include "infeed/accounts/step_times.h"
#include "infeed/virtual/virtual_run.h"

namespace penstock {

// The run of `steps`, which follow each other from 0 ns on; a step that is done
// again takes as long as before. Saves where `options.save_interval_ns` says,
// or, where that is 0, where BestInterval() does.
//
// Errors:  kInvalidArgument for a run that fails too often to come to its end.
// Cost:    a few us a failure and 100 ns a step.
StatusOr<FailureReport> RunWithFailures(std::span<const StepSpan> steps,
                                        uint32_t hosts, uint64_t seed,
                                        const FailureOptions& options);

// The interval of work between saves at which most of the time goes into steps
// that count, of a run without end that takes these steps again and again: that
// of the lowest point of a parabola through the losses of simulated runs whose
// intervals are up to twice as long and as short as the best of a coarse sweep,
// from the time of a save to the mean time between failures.
//
// Limits:  no shorter than a step; without a save time every step.
int64_t BestInterval(std::span<const StepSpan> steps, uint32_t hosts,
                     uint64_t seed, const FailureOptions& options);

}  // namespace penstock
