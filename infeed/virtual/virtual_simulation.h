// A dataset's real plan through training in virtual time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "infeed/training/run_report.h"
#include "infeed/training/simulation.h"
#include "infeed/virtual/virtual_run.h"
#include "pipeline/dataset.h"

namespace penstock {

// A time that grows with a number: bytes, tokens.
struct LinearCost {
  double fixed_ns = 0;
  double ns_each = 0;
};

// Of a stage of a host's pipeline.
struct StageCost {
  std::string name;  // "read", "decode", "exchange", "build"
  bool one_thread = false;
  double ns_per_byte = 0;  // of the tensors that the host makes
};

// What a real run's stages cost, as it measured them: of its host 0, on that
// machine, with what else ran there.
struct Calibration {
  std::string of;  // that run, in words
  // How many threads' worth of the stages that share threads go on at a time.
  double parallel = 1;
  double plan_ns_per_row = 0;  // of the global batch, on one thread
  std::vector<StageCost> stages = {};
  // What else a byte takes of a host where devices wait for input, such as
  // threads that wait for a core; on top.
  double hand_over_ns_per_byte = 0;
  LinearCost transfer = {};  // of a core's slice, and each of its bytes
  LinearCost step = {};      // and each of a core's tokens, padding included
  double compile_ns = 0;
};

// Errors:  kFailedPrecondition for a run of less than two steps.
StatusOr<Calibration> CalibrationOf(const RunReport& report);
// As JSON, and from it.
std::string CalibrationJson(const Calibration& calibration);
// Errors:  kInvalidArgument with file and field where one lacks, is negative or
//          no number, or the file is of another version.
StatusOr<Calibration> ReadCalibration(FileSystem& files,
                                      const std::string& path);

// What real time would show by itself.
struct VirtualTimes {
  uint64_t seed = 17;
  // Instead of the times of SimulationOptions::device. Hosts build ahead as
  // SimulationOptions::buffer_bytes lets them.
  std::optional<Calibration> calibration = {};
  DelayLaw build = {};           // of a host's part of a batch, on top
  DelayLaw transfer_extra = {};  // of each core's transfer
  DelayLaw step_extra = {};      // of each core's step
  FailureOptions failures = {};
};

// Compiles the dataset and walks its plan, shape by shape, without reading a
// record: transfers, steps and compiles take what `options.device` or the
// calibration says for each shape and sharding; a shape compiles when it first
// comes.
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
