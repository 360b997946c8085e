#include "infeed/virtual/virtual_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/devices/compile_cache.h"
#include "infeed/devices/device_memory.h"
#include "infeed/queues/clock.h"
#include "infeed/sharding/batch_placement.h"
#include "infeed/sharding/device_hosts.h"
#include "infeed/sharding/slice_cuts.h"
#include "infeed/sharding/tiled_layout.h"
#include "infeed/virtual/host_costs.h"
#include "pipeline/pipeline.h"

namespace penstock {
namespace {

// A host builds no more batches ahead than this, however small they are.
constexpr uint64_t kMostBuiltAhead = 64;

// Times as long are refused.
constexpr double kMostNs = 9e18;

int64_t WholeNs(double ns) { return std::llround(std::min(ns, kMostNs)); }

int64_t CostNs(const LinearCost& cost, double units) {
  return WholeNs(cost.fixed_ns + cost.ns_each * units);
}

// What a host with so many parts of a batch has to do of it. `one` has all
// devices.
HostShare ShareOf(const Pipeline& one, size_t shape, uint32_t parts,
                  const SimulationOptions& options) {
  const Contract& contract = one.contract();
  const auto rows = static_cast<uint64_t>(contract.RowsOf(shape));
  const auto row_bytes = static_cast<double>(contract.RowBytes(shape));
  const auto part_rows =
      static_cast<double>(one.topology().RowsOfShard(rows) * parts);
  const double all_bytes = row_bytes * static_cast<double>(rows);
  const bool all_read = options.sequence == SequenceReading::kAllRead;
  return {.streamed = !one.planned(),
          .rows = static_cast<double>(rows),
          .fed_bytes = row_bytes * part_rows,
          .dealt_bytes = all_bytes / options.hosts,
          .read_bytes = all_read ? all_bytes : all_bytes / options.hosts};
}

// Of a step of each shape, its rows all real and its program known.
StatusOr<std::vector<VirtualStep>> StepsOfShapes(
    const Mesh& mesh, const Pipeline& one, const SimulationOptions& options,
    uint32_t shards, const std::optional<Calibration>& calibration) {
  const Contract& contract = one.contract();
  const Topology& topology = one.topology();
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
      step.transfer_ns += WholeNs(bytes * 1e9 / device.bytes_per_second);
    }
    step.step_ns = device.step_ns + WholeNs(tokens * device.step_ns_per_token);
    step.rows = static_cast<uint64_t>(rows) * shards;
    if (!calibration) continue;
    step.transfer_ns = CostNs(calibration->transfer, bytes);
    step.step_ns = CostNs(calibration->step, tokens);
    const HostTimes times =
        TimesOf(*calibration, ShareOf(one, shape, /*parts=*/1, options));
    step.build_ns = WholeNs(times.fed_ns);
    step.dealt_ns = WholeNs(times.dealt_ns);
    step.least_build_ns = WholeNs(times.alone_ns);
    step.hand_over_ns = WholeNs(times.hand_over_ns);
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

// What the costs of another run do not tell of this one.
std::vector<std::string> NotesOn(const Calibration& costs, bool streamed,
                                 uint32_t hosts) {
  const auto kind = [](bool is_streamed) {
    return is_streamed ? "streamed" : "planned";
  };
  std::vector<std::string> notes;
  if (costs.streamed != streamed) {
    notes.push_back(fmt::format(
        "the costs are of a {} run, but this one is {}: calibrate with one "
        "that is",
        kind(costs.streamed), kind(streamed)));
  }
  if (streamed && hosts > 1 && costs.hosts != hosts) {
    notes.push_back(
        costs.hosts == 1
            ? fmt::format("the costs are of one host: what {} take to exchange "
                          "rows is in none of them",
                          hosts)
            : fmt::format("the costs are of {} hosts: that {} take as long to "
                          "exchange a row is a guess",
                          costs.hosts, hosts));
  }
  return notes;
}

// The steps that `one` has, their programs compiled when they first come.
StatusOr<std::vector<VirtualStep>> Walk(
    Pipeline& one, const std::vector<VirtualStep>& of_shape, int64_t compile_ns,
    const SimulationOptions& options) {
  const std::stop_callback cancel(options.stop, [&] { one.Cancel(); });
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<PlannedStep> walked,
                            one.WalkSteps(options.max_steps));
  std::vector<VirtualStep> steps;
  steps.reserve(walked.size());
  CompileCache cache({.budget = options.compile_budget});
  std::vector<bool> compiled(of_shape.size());
  for (const PlannedStep& planned : walked) {
    const uint64_t n = steps.size();
    VirtualStep& step = steps.emplace_back(of_shape[planned.shape]);
    step.pad_rows = step.rows - planned.real_rows;
    if (compiled[planned.shape]) continue;
    compiled[planned.shape] = true;
    PENSTOCK_ASSIGN_OR_RETURN(
        const bool needed,
        cache.NeedsCompile(KeyOf(one.contract(), planned.shape), n,
                           compile_ns));
    if (needed) step.compile_ns = compile_ns;
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
  PENSTOCK_ASSIGN_OR_RETURN(
      const BatchPlacement of_hosts,
      PlaceBatch(mesh, options.axis, hosts, options.shardings));
  const Topology topology = placement.TopologyOf(0);
  PENSTOCK_ASSIGN_OR_RETURN(
      Pipeline pipeline,
      Compile(dataset, topology,
              {.threads = options.threads_per_host,
               .max_batch_bytes = std::numeric_limits<uint64_t>::max(),
               .files = options.files,
               .force_streamed = options.force_streamed}));
  PENSTOCK_ASSIGN_OR_RETURN(
      const DeviceMemory memory,
      PlanDeviceMemory(mesh, pipeline.contract(), topology, options.axis,
                       options.shardings, options.depth, options.device));
  const std::optional<Calibration>& calibration = times.calibration;
  PENSTOCK_ASSIGN_OR_RETURN(
      const std::vector<VirtualStep> of_shape,
      StepsOfShapes(mesh, pipeline, options, placement.shards, calibration));
  const int64_t begin_ns = SteadyClock().NowNs();
  PENSTOCK_ASSIGN_OR_RETURN(
      const std::vector<VirtualStep> steps,
      Walk(pipeline, of_shape,
           calibration ? std::llround(calibration->compile_ns)
                       : options.device.compile_ns,
           options));
  const int64_t walk_ns = SteadyClock().NowNs() - begin_ns;
  const bool streamed = !pipeline.planned();
  VirtualOptions run = {.host_of_core = hosts.host_of_device(),
                        .hosts = options.hosts,
                        .depth = options.depth,
                        .hosts_meet = streamed && options.hosts > 1,
                        .seed = times.seed,
                        .outfeed = options.device.outfeed,
                        .build = times.build,
                        .transfer_extra = times.transfer_extra,
                        .step_extra = times.step_extra,
                        .failures = times.failures,
                        .stop = options.stop};
  if (calibration) {
    run.parts_of_host = PartsOfHosts(of_hosts, options.hosts);
    run.built_ahead = BuiltAhead(pipeline.contract(), topology,
                                 options.buffer_bytes, run.parts_of_host);
    run.build_stage =
        TimesOf(*calibration,
                ShareOf(pipeline, pipeline.contract().shapes() - 1,
                        std::ranges::max(run.parts_of_host), options))
            .longest;
  }
  PENSTOCK_ASSIGN_OR_RETURN(VirtualReport report,
                            RunVirtual(steps, steps.size(), run));
  report.memory = memory.Describe();
  if (calibration) {
    report.notes = NotesOn(*calibration, streamed, options.hosts);
  }
  if (streamed) {
    report.rows_read = 0;
    for (const VirtualStep& step : steps) {
      *report.rows_read += step.rows - step.pad_rows;
    }
    report.read_ns = walk_ns;
  }
  return report;
}

}  // namespace penstock
