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
  // "read", "decode", "tokenize", "exchange", "build"
  std::string name;
  bool one_thread = false;
  // Of the tensors that the host makes; streamed, of all but "build", of those
  // that all hosts make, shared out evenly, as rows are for decoding.
  double ns_per_byte = 0;
};

// What a real run's stages cost, as it measured them: of its host 0, on that
// machine, with what else ran there.
struct Calibration {
  std::string of;  // that run, in words
  bool streamed = false;
  uint32_t hosts = 1;  // that met to exchange rows, where they did
  uint32_t threads = 1;
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

// Compiles the dataset and walks its steps, shape by shape: transfers, steps
// and compiles take what `options.device` or the calibration says for each
// shape and sharding; a shape compiles when it first comes. Planned, no record
// is read. Streamed, one host without devices reads all for the lengths of
// rows, with options.threads_per_host threads, and builds no batch: steps are
// the same for any hosts. Virtual hosts then meet at each batch.
//
// Errors:  those of Compile(), Pipeline::WalkSteps(), RunVirtual() and the
//          shardings; kUnimplemented where options.shard_by gives hosts records
//          of their own; kInvalidArgument for endless epochs without
//          options.max_steps; kResourceExhausted for more compiles than
//          options.compile_budget and for batches that do not fit a device.
// Cost:    one core: that of the plan and of RunVirtual(); streamed, that of
//          Pipeline::WalkSteps().
StatusOr<VirtualReport> SimulateVirtually(const Dataset& dataset,
                                          const SimulationOptions& options,
                                          const VirtualTimes& times = {});

}  // namespace penstock
