#include "infeed/virtual/virtual_simulation.h"

#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/sharding/batch_placement.h"
#include "infeed/sharding/device_hosts.h"
#include "infeed/sharding/slice_cuts.h"
#include "pipeline/pipeline.h"

namespace penstock {
namespace {

// More steps than a run in memory can have.
constexpr uint64_t kMostSteps = 100'000'000;

// Of a step of each shape, its rows all real and its program known.
StatusOr<std::vector<VirtualStep>> StepsOfShapes(
    const Mesh& mesh, const Contract& contract, const Topology& topology,
    const SimulationOptions& options, uint32_t shards) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto cuts,
                            CutSlices(mesh, contract, topology, options.axis,
                                      options.shardings, {mesh.devices()[0]}));
  const SimulatedDeviceOptions& device = options.device;
  std::vector<VirtualStep> steps;
  for (size_t shape = 0; shape < contract.shapes(); ++shape) {
    const int64_t rows = (contract.RowsOf(shape) + shards - 1) / shards;
    const auto bytes = static_cast<double>(cuts[0]->size_bytes[shape]);
    const auto tokens = static_cast<double>(rows * contract.lengths[shape]);
    VirtualStep& step = steps.emplace_back();
    step.transfer_ns = device.transfer_ns;
    if (device.bytes_per_second > 0) {
      step.transfer_ns += std::llround(bytes * 1e9 / device.bytes_per_second);
    }
    step.step_ns =
        device.step_ns + std::llround(tokens * device.step_ns_per_token);
    step.rows = static_cast<uint64_t>(rows) * shards;
  }
  return steps;
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
  const Topology topology = placement.TopologyOf(0);
  PENSTOCK_ASSIGN_OR_RETURN(
      const Pipeline pipeline,
      Compile(dataset, topology,
              {.threads = options.threads_per_host,
               .max_batch_bytes = std::numeric_limits<uint64_t>::max(),
               .files = options.files,
               .force_streamed = options.force_streamed}));
  const uint64_t most = options.max_steps.value_or(kMostSteps);
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<PlannedStep> plan,
                            pipeline.PlannedSteps(most));
  if (plan.size() == kMostSteps) {
    return InvalidArgumentError(
        "the run does not end: say how many steps it takes");
  }
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<VirtualStep> of_shape,
                            StepsOfShapes(mesh, pipeline.contract(), topology,
                                          options, placement.shards));
  std::vector<VirtualStep> steps;
  std::vector<bool> compiled(of_shape.size());
  for (const PlannedStep& planned : plan) {
    VirtualStep& step = steps.emplace_back(of_shape[planned.shape]);
    step.pad_rows = step.rows - planned.real_rows;
    if (!compiled[planned.shape]) step.compile_ns = options.device.compile_ns;
    compiled[planned.shape] = true;
  }
  return RunVirtual(steps, steps.size(),
                    {.host_of_core = hosts.host_of_device(),
                     .hosts = options.hosts,
                     .depth = options.depth,
                     .seed = times.seed,
                     .build = times.build,
                     .transfer_extra = times.transfer_extra,
                     .step_extra = times.step_extra,
                     .failures = times.failures});
}

}  // namespace penstock
