// What came out of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/records/record_digest.h"
#include "infeed/accounts/ledger.h"
#include "infeed/accounts/record_census.h"
#include "infeed/accounts/run_log.h"
#include "infeed/accounts/step_times.h"
#include "infeed/devices/compile_cache.h"
#include "infeed/sharding/load_plan.h"
#include "pipeline/profile.h"
#include "pipeline/state.h"

namespace penstock {

struct CoreReport {
  uint32_t device = 0;
  uint32_t host = 0;
  uint32_t shard = 0;
  Ledger ledger{0};
  // Others waited so long for this device: their peer wait.
  int64_t waited_for_ns = 0;
  // How long its queue held 0, 1 ... batches.
  std::vector<int64_t> depth_ns;
  // Its first steps: TrainingOptions::traced_steps of them.
  std::vector<CoreSpan> spans;
};

struct ShapeReport {
  int64_t length = 0;  // of its bucket
  uint64_t steps = 0;
  RowCounts rows = {};
};

struct RunReport {
  std::string device_kind = "simulated";
  uint32_t hosts = 1;
  uint32_t processes = 1;  // that the hosts are, or are threads of
  uint32_t shards = 1;
  size_t depth = 0;
  bool planned = false;
  std::string contract = {};  // Contract::Describe()
  // Of host 0's pipeline, where there was one.
  std::string explain = {};
  std::optional<PipelineProfile> pipeline = {};
  // Of simulated devices of which memory or tiles are known, in words.
  std::string memory = {};
  // What each host loads and how it leaves, of a batch of the longest length.
  LoadPlan loads = {};

  // When the run began, on the clock of all times here.
  int64_t begin_ns = 0;
  // From the beginning, compiling the pipeline included, until all devices were
  // done; each ledger's wall time.
  int64_t wall_ns = 0;
  // Until the first step itself began.
  int64_t first_step_ns = 0;
  StepSummary times = {};
  std::vector<StepSpan> steps = {};  // all of them, in order
  RowCounts rows = {};
  // As host 0's pipeline counted them up to the last batch it built.
  uint64_t dropped = 0;
  uint64_t truncated = 0;

  std::vector<ShapeReport> shapes = {};
  std::vector<CompileEvent> compiles = {};
  std::vector<CoreReport> cores = {};  // by device

  uint64_t batch_digest = 0;
  RecordDigest record_digest = {};
  std::vector<EpochCensus> epochs = {};
  // After the last step that the devices consumed.
  State state = {};

  // Of a bucket, over all cores.
  int64_t MeanNs(Bucket bucket) const;
  // Real rows' compute as a part of wall time, over all cores.
  double goodput_percent() const;
  double padding_percent() const { return rows.padding_percent(); }
  double examples_per_second() const;
  double tokens_per_second() const;  // real ones
  // What steps wait for: "device" where that is for neither input nor outfeed
  // as much as 5 per cent of step time; "outfeed"; "transfer"; a stage of the
  // pipeline, which PipelineProfile::BoundBy() names; "hand-over" where batches
  // were there, and their way to the devices is slow.
  std::string bound_by() const;
};

}  // namespace penstock
