// A simulated training run over all hosts of a mesh, in real time; the hosts
// are threads of this process, or a process each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/devices/simulated_device.h"
#include "infeed/devices/watchdog.h"
#include "infeed/queues/batch_source.h"
#include "infeed/queues/clock.h"
#include "infeed/sharding/mesh.h"
#include "infeed/sharding/partition_spec.h"
#include "infeed/training/live_run.h"
#include "infeed/training/run_report.h"
#include "infeed/training/run_savers.h"
#include "pipeline/group.h"

namespace penstock {

struct TrainingOptions {
  // How tensors lie on the mesh, and who has which device; see InfeedOptions.
  std::string axis = "data";
  std::vector<TensorSharding> shardings = {};
  std::vector<uint32_t> host_of_device = {};
  // Of every device's queue; see InfeedOptions.
  size_t depth = 2;
  uint64_t queue_bytes = 1ull << 30;
  // Simulated ones, or these: at least one for each of this process, by rising
  // id, borrowed.
  SimulatedDeviceOptions device = {};
  std::vector<Device*> devices = {};
  // Stops after so many steps, also before the first; without it the run goes
  // to the end of data.
  std::optional<uint64_t> max_steps = std::nullopt;
  // More compiles are an error; 0 is any number.
  uint64_t compile_budget = 0;
  WatchdogOptions watchdog = {};
  // So many steps of each device are told one by one in CoreReport::spans.
  size_t traced_steps = 0;
  // Where hosts are processes: all of them, for the steps alone. Borrowed.
  Group* group = nullptr;
  SavingOptions saving = {};
  // Borrowed; may be null.
  LiveRun* live = nullptr;
  // For the count of records never seen.
  std::optional<uint64_t> records_per_epoch = std::nullopt;
  // Where it is requested, the run stops at the next step on all hosts and
  // reports as ever.
  std::stop_token stop = {};
  // Borrowed. Null is SteadyClock().
  Clock* clock = nullptr;
  // When the run began, for time spent before this call; 0 is at the call.
  int64_t begin_ns = 0;
};

// Runs one host for each source, each with its infeed and a thread for each of
// its devices. With a group there is one source, that of this process' host;
// the report of host 0 is that of all, those of others tell of themselves
// alone.
//
// Errors:  the first of any host, the same in all processes; kInvalidArgument
//          where the sources are not those of one run; kDeadlineExceeded from
//          the watchdog, with who waits for whom.
StatusOr<RunReport> RunTraining(
    std::vector<std::unique_ptr<BatchSource>> sources, const Mesh& mesh,
    TrainingOptions options = {});

}  // namespace penstock
