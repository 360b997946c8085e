// A dataset through simulated training: what tools/infeedsim runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "formats/files/callback.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "infeed/checkpoints.h"
#include "infeed/devices/simulated_device.h"
#include "infeed/devices/watchdog.h"
#include "infeed/sharding/mesh.h"
#include "infeed/sharding/partition_spec.h"
#include "infeed/training/run_report.h"
#include "pipeline/compile_options.h"
#include "pipeline/dataset.h"
#include "pipeline/group.h"
#include "pipeline/state.h"
#include "pipeline/topology.h"

namespace penstock {

class LiveRun;  // infeed/training/live_run.h

struct SimulationOptions {
  // Devices of all hosts together, in any order; empty is by rising id.
  std::vector<MeshAxis> mesh = {{"data", 8}};
  std::vector<uint32_t> mesh_devices = {};
  // How tensors lie on the mesh, and who has which device; see InfeedOptions.
  std::string axis = "data";
  std::vector<TensorSharding> shardings = {};
  std::vector<uint32_t> host_of_device = {};
  // Each is a group of threads of this process with a pipeline of its own.
  uint32_t hosts = 1;
  // Where hosts are processes: this one's ends of two groups of them, which
  // then say how many there are; one for batches, one for steps. Borrowed.
  Group* batches = nullptr;
  Group* steps = nullptr;
  // See InfeedOptions::verify_replicas; the group is a fourth one of the
  // processes.
  uint64_t verify_replicas = 0;
  Group* replicas = nullptr;
  // That build batches, for each host; 0 is one for each core of the machine.
  int threads_per_host = 0;
  // Of batches built and not yet queued, for each host.
  uint64_t buffer_bytes = 256ull << 20;
  // Of each device's queue, in batches and in bytes.
  size_t depth = 2;
  uint64_t queue_bytes = 1ull << 30;
  bool force_streamed = false;
  ShardBy shard_by = ShardBy::kPlan;
  SequenceReading sequence = SequenceReading::kAuto;
  // See CompileOptions.
  std::vector<Change> changed = {};

  // Simulated ones, or these: at least one for each of this process, by rising
  // id, borrowed; and what they are called.
  SimulatedDeviceOptions device = {};
  std::vector<Device*> devices = {};
  std::string device_kind = "simulated";
  // Where it saves checkpoints, behind the last step and others, and goes on
  // from the last one that is there; empty is nowhere. Where hosts are
  // processes their group is a third one of them.
  std::string checkpoint_folder = {};
  CheckpointOptions checkpoints = {};
  // Told by host 0 where it goes on from.
  Callback<void(const Checkpoint& from)> on_resume = {};
  // Goes on from a state instead of the start.
  std::optional<State> restore = std::nullopt;
  // Goes on after this step of the run instead, where no state was saved.
  // Planned only.
  std::optional<uint64_t> after_step = std::nullopt;
  // Told, by host 0, how many of how many records the search for that step has
  // looked at.
  Callback<void(uint64_t done, uint64_t of)> on_seek = {};
  // Stops after so many steps of this run, also before the first; without it
  // the run goes to the end of data.
  std::optional<uint64_t> max_steps = std::nullopt;
  // More compiles are an error; 0 is any number.
  uint64_t compile_budget = 0;
  WatchdogOptions watchdog = {};
  // Where others may look while it runs. Borrowed; may be null.
  LiveRun* live = nullptr;
  // So many steps of each device are told one by one in CoreReport::spans.
  size_t traced_steps = 0;
  // Where it is requested, the run stops at the next step on all hosts and
  // reports as ever.
  std::stop_token stop = {};
  // Borrowed. Null is LocalFiles().
  FileSystem* files = nullptr;
};

// What host `host` of such a run feeds.
// Errors:  those of Mesh, DeviceHosts and the shardings.
StatusOr<Topology> TopologyOf(const SimulationOptions& options, uint32_t host);

// Compiles the dataset on every host, trains and reports. Where hosts are
// processes only host 0 reports of all.
// Errors:  those of Compile(), Pipeline::Restore(), Checkpoints and
//          RunTraining(); with more than one host the message names it;
//          kFailedPrecondition for a place to begin at where there is a
//          checkpoint to go on from; kResourceExhausted where batches do not
//          fit into SimulatedDeviceOptions::memory_bytes.
StatusOr<RunReport> Simulate(const Dataset& dataset,
                             SimulationOptions options = {});

}  // namespace penstock
