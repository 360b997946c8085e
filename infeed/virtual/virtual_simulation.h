// A dataset's real plan through training in virtual time.
#pragma once

#include "formats/files/status_or.h"
#include "infeed/training/simulation.h"
#include "infeed/virtual/virtual_run.h"
#include "pipeline/dataset.h"

namespace penstock {

// What real time would show by itself.
struct VirtualTimes {
  uint64_t seed = 17;
  DelayLaw build = {};           // of a host's part of a batch, one at a time
  DelayLaw transfer_extra = {};  // of each core's transfer
  DelayLaw step_extra = {};      // of each core's step
  FailureOptions failures = {};
};

// Compiles the dataset and walks its plan, shape by shape, without reading a
// record: transfers, steps and compiles take what `options.device` says for
// each shape and sharding; a shape compiles when it first comes.
//
// Errors:  those of Compile(), RunVirtual() and the shardings; kUnimplemented
//          where the pipeline is streamed, or options.shard_by gives hosts
//          records of their own; kInvalidArgument for endless epochs
//          without options.max_steps.
// Cost:    one core: that of the plan and of RunVirtual().
StatusOr<VirtualReport> SimulateVirtually(const Dataset& dataset,
                                          const SimulationOptions& options,
                                          const VirtualTimes& times = {});

}  // namespace penstock
