#include "infeed/training/simulation.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "formats/files/start_thread.h"
#include "formats/files/status_or.h"
#include "infeed/devices/device_memory.h"
#include "infeed/queues/batch_source.h"
#include "infeed/queues/clock.h"
#include "infeed/queues/replica_check.h"
#include "infeed/sharding/batch_placement.h"
#include "infeed/sharding/batch_tensors.h"
#include "infeed/sharding/device_hosts.h"
#include "infeed/training/resume.h"
#include "infeed/training/training_run.h"
#include "pipeline/group.h"
#include "pipeline/pipeline.h"

namespace penstock {
namespace {

using Groups = std::vector<std::unique_ptr<Group>>;

// A host's pipeline, and where it begins.
struct Compiled {
  Pipeline pipeline;
  State start;
};

// Where the host's pipeline goes on from; nullopt without a checkpoint.
StatusOr<std::optional<State>> Resume(Pipeline& pipeline, Group& group,
                                      const SimulationOptions& options) {
  if (options.checkpoint_folder.empty()) return std::nullopt;
  const CheckpointOptions& how = options.checkpoints;
  PENSTOCK_ASSIGN_OR_RETURN(
      const std::optional<Checkpoint> found,
      FindCheckpoint(
          CheckpointFolder(how.files != nullptr ? *how.files : LocalFiles(),
                           options.checkpoint_folder),
          how, group));
  if (!found) return std::nullopt;
  if (options.restore || options.after_step) {
    return FailedPreconditionError(
        found->folder +
        ": there is a checkpoint to go on from, but the run is to begin "
        "elsewhere; go on from it or save elsewhere");
  }
  PENSTOCK_RETURN_IF_ERROR(GoOnFrom(
      *found,
      {.topology = pipeline.topology(),
       .graph = pipeline.graph(),
       .restore = [&](const State& state) { return pipeline.Restore(state); },
       .next = [&] { return pipeline.Next(); }},
      group));
  if (group.host() == 0 && options.on_resume) options.on_resume(*found);
  return found->state;
}

StatusOr<Compiled> CompileHost(const Dataset& dataset, const Topology& topology,
                               Group& group, Group& saves,
                               const SimulationOptions& options) {
  PENSTOCK_ASSIGN_OR_RETURN(Pipeline pipeline,
                            Compile(dataset, topology,
                                    {.threads = options.threads_per_host,
                                     .buffer_bytes = options.buffer_bytes,
                                     .group = &group,
                                     .files = options.files,
                                     .changed = options.changed,
                                     .force_streamed = options.force_streamed,
                                     .shard_by = options.shard_by,
                                     .sequence = options.sequence}));
  PENSTOCK_ASSIGN_OR_RETURN(std::optional<State> start,
                            Resume(pipeline, saves, options));
  if (start) return Compiled{std::move(pipeline), *std::move(start)};
  start = options.restore;
  if (options.after_step) {
    const std::stop_callback cancel(options.stop, [&] { pipeline.Cancel(); });
    PENSTOCK_ASSIGN_OR_RETURN(
        start,
        pipeline.StateAfter(*options.after_step,
                            topology.host == 0 ? options.on_seek : nullptr));
  }
  if (start) {
    PENSTOCK_RETURN_IF_ERROR(pipeline.Restore(*start));
  } else {
    start = State{.graph = pipeline.graph()};
  }
  return Compiled{std::move(pipeline), *std::move(start)};
}

// The hosts of this process: [i] is the end of host first + i.
struct Hosts {
  uint32_t first = 0;
  std::vector<Group*> ends;
  std::vector<Group*> saves;     // of another group, to find checkpoints
  std::vector<Group*> replicas;  // of a third, to compare what they feed
};

// Each host compiles on a thread of its own: the hosts may have to agree.
StatusOr<std::vector<Compiled>> CompileHosts(const Dataset& dataset,
                                             const BatchPlacement& placement,
                                             const Hosts& hosts,
                                             const SimulationOptions& options) {
  std::vector<StatusOr<Compiled>> compiled;
  for (size_t i = 0; i < hosts.ends.size(); ++i) {
    compiled.emplace_back(UnknownError("not compiled"));
  }
  {
    std::vector<std::jthread> threads;
    for (uint32_t i = 0; i < hosts.ends.size(); ++i) {
      auto thread = StartThread([&, i] {
        compiled[i] =
            CompileHost(dataset, placement.TopologyOf(hosts.first + i),
                        *hosts.ends[i], *hosts.saves[i], options);
      });
      if (!thread.ok()) {
        hosts.ends[i]->Fail(thread.status());  // the others wait for this one
        hosts.saves[i]->Fail(thread.status());
        return thread.status();
      }
      threads.push_back(*std::move(thread));
    }
  }
  std::vector<Compiled> all;
  for (auto& host : compiled) {
    PENSTOCK_RETURN_IF_ERROR(host.status());
    all.push_back(*std::move(host));
  }
  return all;
}

// Where the rows of a batch go.
struct Placed {
  Mesh mesh;
  DeviceHosts hosts;
  BatchPlacement placement;
};

StatusOr<Placed> Place(const SimulationOptions& options) {
  PENSTOCK_ASSIGN_OR_RETURN(Mesh mesh,
                            Mesh::Create(options.mesh, options.mesh_devices));
  PENSTOCK_ASSIGN_OR_RETURN(
      DeviceHosts hosts,
      DeviceHosts::Of(mesh.size(), options.hosts, options.host_of_device));
  PENSTOCK_ASSIGN_OR_RETURN(
      BatchPlacement placement,
      PlaceBatch(mesh, options.axis, hosts, options.shardings));
  return Placed{std::move(mesh), std::move(hosts), std::move(placement)};
}

}  // namespace

StatusOr<Topology> TopologyOf(const SimulationOptions& options, uint32_t host) {
  PENSTOCK_ASSIGN_OR_RETURN(const Placed placed, Place(options));
  return placed.placement.TopologyOf(host);
}

StatusOr<RunReport> Simulate(const Dataset& dataset,
                             SimulationOptions options) {
  const int64_t begin_ns = SteadyClock().NowNs();
  if (options.batches != nullptr) options.hosts = options.batches->hosts();
  PENSTOCK_ASSIGN_OR_RETURN(const Placed placed, Place(options));
  const auto& [mesh, device_hosts, placement] = placed;
  // Outlives the pipelines, which borrow it.
  Groups threads;
  Groups saves;
  Groups replicas;
  Hosts here;
  if (options.batches != nullptr) {
    here = {.first = options.batches->host(),
            .ends = {options.batches},
            .saves = {options.checkpoints.group},
            .replicas = {options.replicas}};
  } else {
    threads = ThreadGroup(options.hosts);
    saves = ThreadGroup(options.hosts);
    replicas = ThreadGroup(options.hosts);
    for (const auto& end : threads) here.ends.push_back(end.get());
    for (const auto& end : saves) here.saves.push_back(end.get());
    for (const auto& end : replicas) here.replicas.push_back(end.get());
  }
  PENSTOCK_ASSIGN_OR_RETURN(std::vector<Compiled> hosts,
                            CompileHosts(dataset, placement, here, options));

  const bool planned = hosts[0].pipeline.planned();
  const std::string explain = hosts[0].pipeline.Explain();
  PENSTOCK_ASSIGN_OR_RETURN(
      LoadPlan loads,
      PlanBatchLoads(mesh, hosts[0].pipeline.contract(),
                     hosts[0].pipeline.contract().shapes() - 1, options.axis,
                     options.shardings, device_hosts));
  std::string memory;
  if (options.devices.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(
        const DeviceMemory planned_memory,
        PlanDeviceMemory(
            mesh, hosts[0].pipeline.contract(),
            placement.TopologyOf(device_hosts.HostOf(mesh.devices()[0])),
            options.axis, options.shardings, options.depth, options.device));
    memory = planned_memory.Describe();
  }
  const State start = hosts[0].start;
  TrainingOptions training{
      .axis = options.axis,
      .shardings = options.shardings,
      .host_of_device = options.host_of_device,
      .depth = options.depth,
      .queue_bytes = options.queue_bytes,
      .device = options.device,
      .devices = options.devices,
      .max_steps = options.max_steps,
      .compile_budget = options.compile_budget,
      .watchdog = options.watchdog,
      .traced_steps = options.traced_steps,
      .group = options.steps,
      .saving = {.folder = options.checkpoint_folder,
                 .often = options.checkpoints,
                 .begin = start},
      .live = options.live,
      .records_per_epoch = hosts[0].pipeline.records_per_epoch(),
      .stop = options.stop,
      .begin_ns = begin_ns};
  std::vector<std::unique_ptr<BatchSource>> sources;
  for (size_t i = 0; i < hosts.size(); ++i) {
    sources.push_back(CheckReplicas(
        FromPipeline(std::move(hosts[i].pipeline)),
        {.every = options.verify_replicas, .group = here.replicas[i]}));
  }
  PENSTOCK_ASSIGN_OR_RETURN(
      RunReport report,
      RunTraining(std::move(sources), mesh, std::move(training)));
  report.device_kind = options.device_kind;
  report.planned = planned;
  report.explain = explain;
  report.memory = memory;
  report.loads = std::move(loads);
  if (report.times.steps == 0) report.state = start;
  return report;
}

}  // namespace penstock
