#include "infeed/virtual/virtual_simulation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/devices/device_memory.h"
#include "infeed/sharding/batch_placement.h"
#include "infeed/sharding/device_hosts.h"
#include "infeed/sharding/slice_cuts.h"
#include "infeed/sharding/tiled_layout.h"
#include "pipeline/pipeline.h"

namespace penstock {
namespace {

// More steps than a run in memory can have.
constexpr uint64_t kMostSteps = 100'000'000;

// A host builds no more batches ahead than this, however small they are.
constexpr uint64_t kMostBuiltAhead = 64;

// Of a step, as much as a flag may say.
constexpr double kMostNs = 1e15;

int64_t WholeNs(double ns) { return std::llround(std::min(ns, kMostNs)); }

int64_t CostNs(const LinearCost& cost, double units) {
  return WholeNs(cost.fixed_ns + cost.ns_each * units);
}

// What a host's stages take for a part of so many bytes of a batch of so many
// rows.
void AddBuild(const Calibration& calibration, double part_bytes, double rows,
              VirtualStep& step) {
  double shared_ns = 0;
  double slowest_ns = 0;
  for (const StageCost& stage : calibration.stages) {
    const double ns = stage.ns_per_byte * part_bytes;
    if (stage.one_thread) {
      slowest_ns = std::max(slowest_ns, ns);
    } else {
      shared_ns += ns;
    }
  }
  step.build_ns =
      WholeNs(std::max(slowest_ns, shared_ns / calibration.parallel) +
              calibration.hand_over_ns_per_byte * part_bytes);
  step.least_build_ns = WholeNs(calibration.plan_ns_per_row * rows);
}

// Of those of a byte; the plan is in none of them.
std::string LongestStage(const Calibration& calibration) {
  const auto longest = std::ranges::max_element(
      calibration.stages, {}, [&](const StageCost& stage) {
        return stage.ns_per_byte /
               (stage.one_thread ? 1 : calibration.parallel);
      });
  return longest == calibration.stages.end() ? std::string() : longest->name;
}

// Of a step of each shape, its rows all real and its program known.
StatusOr<std::vector<VirtualStep>> StepsOfShapes(
    const Mesh& mesh, const Contract& contract, const Topology& topology,
    const SimulationOptions& options, uint32_t shards,
    const std::optional<Calibration>& calibration) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto cuts,
                            CutSlices(mesh, contract, topology, options.axis,
                                      options.shardings, {mesh.devices()[0]}));
  const SimulatedDeviceOptions& device = options.device;
  std::vector<VirtualStep> steps;
  for (size_t shape = 0; shape < contract.shapes(); ++shape) {
    const int64_t rows = (contract.RowsOf(shape) + shards - 1) / shards;
    const auto bytes = static_cast<double>(
        TiledBytes(contract, *cuts[0], shape, device.tile_generation));
    const auto tokens = static_cast<double>(rows * contract.lengths[shape]);
    VirtualStep& step = steps.emplace_back();
    step.transfer_ns = device.transfer_ns;
    if (device.bytes_per_second > 0) {
      step.transfer_ns += std::llround(bytes * 1e9 / device.bytes_per_second);
    }
    step.step_ns =
        device.step_ns + std::llround(tokens * device.step_ns_per_token);
    step.rows = static_cast<uint64_t>(rows) * shards;
    if (!calibration) continue;
    step.transfer_ns = CostNs(calibration->transfer, bytes);
    step.step_ns = CostNs(calibration->step, tokens);
    const uint64_t part_rows =
        topology.RowsOfShard(static_cast<uint64_t>(contract.RowsOf(shape)));
    AddBuild(*calibration,
             static_cast<double>(contract.RowBytes(shape) * part_rows),
             static_cast<double>(contract.RowsOf(shape)), step);
  }
  return steps;
}

// Parts of a batch that each host makes.
std::vector<uint32_t> PartsOfHosts(const BatchPlacement& placement,
                                   uint32_t hosts) {
  std::vector<uint32_t> parts;
  for (uint32_t host = 0; host < hosts; ++host) {
    parts.push_back(static_cast<uint32_t>(
        placement.TopologyOf(host).ShardsOf(host).size()));
  }
  return parts;
}

// As many of the largest as the host that makes most of a batch may have.
size_t BuiltAhead(const Contract& contract, const Topology& topology,
                  uint64_t buffer_bytes, const std::vector<uint32_t>& parts) {
  uint64_t most_bytes = 1;
  for (size_t shape = 0; shape < contract.shapes(); ++shape) {
    most_bytes = std::max(
        most_bytes, contract.RowBytes(shape) *
                        topology.RowsOfShard(
                            static_cast<uint64_t>(contract.RowsOf(shape))));
  }
  most_bytes *= std::max(1u, std::ranges::max(parts));
  return std::clamp<uint64_t>(buffer_bytes / most_bytes, 1, kMostBuiltAhead);
}

}  // namespace

StatusOr<VirtualReport> SimulateVirtually(const Dataset& dataset,
                                          const SimulationOptions& options,
                                          const VirtualTimes& times) {
  if (options.shard_by != ShardBy::kPlan) {
    return UnimplementedError(
        "virtual time follows the plan of all hosts, but shard_by gives each "
        "records of its own: leave it out");
  }
  PENSTOCK_ASSIGN_OR_RETURN(const Mesh mesh,
                            Mesh::Create(options.mesh, options.mesh_devices));
  PENSTOCK_ASSIGN_OR_RETURN(
      const DeviceHosts hosts,
      DeviceHosts::Of(mesh.size(), options.hosts, options.host_of_device));
  // One host that has all devices knows the plan of every host.
  PENSTOCK_ASSIGN_OR_RETURN(const DeviceHosts one,
                            DeviceHosts::Blocks(mesh.size(), 1));
  PENSTOCK_ASSIGN_OR_RETURN(
      const BatchPlacement placement,
      PlaceBatch(mesh, options.axis, one, options.shardings));
  PENSTOCK_ASSIGN_OR_RETURN(
      const BatchPlacement of_hosts,
      PlaceBatch(mesh, options.axis, hosts, options.shardings));
  const Topology topology = placement.TopologyOf(0);
  PENSTOCK_ASSIGN_OR_RETURN(
      const Pipeline pipeline,
      Compile(dataset, topology,
              {.threads = options.threads_per_host,
               .max_batch_bytes = std::numeric_limits<uint64_t>::max(),
               .files = options.files,
               .force_streamed = options.force_streamed}));
  PENSTOCK_ASSIGN_OR_RETURN(
      const DeviceMemory memory,
      PlanDeviceMemory(mesh, pipeline.contract(), topology, options.axis,
                       options.shardings, options.depth, options.device));
  const uint64_t most = options.max_steps.value_or(kMostSteps);
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<PlannedStep> plan,
                            pipeline.PlannedSteps(most));
  if (plan.size() == kMostSteps) {
    return InvalidArgumentError(
        "the run does not end: say how many steps it takes");
  }
  PENSTOCK_ASSIGN_OR_RETURN(
      const std::vector<VirtualStep> of_shape,
      StepsOfShapes(mesh, pipeline.contract(), topology, options,
                    placement.shards, times.calibration));
  const std::optional<Calibration>& calibration = times.calibration;
  const int64_t compile_ns = calibration ? std::llround(calibration->compile_ns)
                                         : options.device.compile_ns;
  std::vector<VirtualStep> steps;
  std::vector<bool> compiled(of_shape.size());
  for (const PlannedStep& planned : plan) {
    VirtualStep& step = steps.emplace_back(of_shape[planned.shape]);
    step.pad_rows = step.rows - planned.real_rows;
    if (!compiled[planned.shape]) step.compile_ns = compile_ns;
    compiled[planned.shape] = true;
  }
  VirtualOptions run = {.host_of_core = hosts.host_of_device(),
                        .hosts = options.hosts,
                        .depth = options.depth,
                        .seed = times.seed,
                        .outfeed = options.device.outfeed,
                        .build = times.build,
                        .transfer_extra = times.transfer_extra,
                        .step_extra = times.step_extra,
                        .failures = times.failures};
  if (calibration) {
    run.parts_of_host = PartsOfHosts(of_hosts, options.hosts);
    run.built_ahead = BuiltAhead(pipeline.contract(), topology,
                                 options.buffer_bytes, run.parts_of_host);
    run.build_stage = LongestStage(*calibration);
  }
  PENSTOCK_ASSIGN_OR_RETURN(VirtualReport report,
                            RunVirtual(steps, steps.size(), run));
  report.memory = memory.Describe();
  return report;
}

}  // namespace penstock
