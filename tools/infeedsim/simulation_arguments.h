// What infeedsim may be told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/example/feature_spec.h"
#include "formats/open.h"
#include "infeed/training/simulation.h"
#include "pipeline/dataset.h"
#include "tools/arguments/command.h"
#include "tools/infeedsim/chip_arguments.h"
#include "tools/infeedsim/device_arguments.h"
#include "tools/infeedsim/host_arguments.h"
#include "tools/infeedsim/mesh_arguments.h"
#include "tools/infeedsim/objective_arguments.h"
#include "tools/infeedsim/report_files.h"
#include "tools/infeedsim/time_arguments.h"
#include "tools/infeedsim/virtual_arguments.h"
#include "tools/programs/recovery_settings.h"
#include "tools/programs/tokenizer_options.h"

namespace penstock {

struct SimulationArguments {
  std::string pattern;
  std::vector<std::string> mix;  // "PATTERN=WEIGHT"
  MixOptions mix_options;
  bool mix_tokens = false;
  bool corpus = false;
  OpenOptions open;
  RecoverySettings recovery;
  TokenizerOptions tokenizer;
  std::string by;
  std::optional<FeatureEncoding> encoding;  // by default the manifest says
  std::vector<int64_t> buckets;
  std::vector<std::string> buckets_with;  // "FEATURE=N,N"
  std::vector<int64_t> bucket_rows;
  bool merge_leftovers = false;
  int64_t multiple_of = 0;
  int64_t max_length = 0;
  int64_t shapes = 8;  // without buckets
  PackOptions pack;    // where its length is given
  bool balance = false;
  int64_t micro_batches = 1;
  TooLong too_long = TooLong::kError;
  double pad_value = 0;
  BatchOptions batch{.size = 256};
  ObjectiveArguments objective;
  std::string split;  // "BEGIN:END"
  uint64_t split_seed = 0;
  bool shuffle = true;
  ShuffleOptions shuffling;
  RepeatOptions repeat;
  MeshArguments devices;
  DeviceArguments device;
  TimeArguments times;
  ChipArguments chip;
  double watchdog_s = 300;
  HostArguments hosts;
  SimulationOptions simulation = {.verify_replicas = 100};
  VirtualArguments virtual_time;
  std::string state_in;
  std::string state_out;
  ReportFiles reports;
  std::optional<uint16_t> metrics_port;
  std::string metrics_address = "127.0.0.1";
  bool explain = false;
  std::optional<uint64_t> trace_step;

  // This must outlive `command`.
  void AddTo(Command& command);
};

}  // namespace penstock
