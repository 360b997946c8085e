// What a real run's stages cost, from its report.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "formats/files/status_or.h"
#include "infeed/virtual/host_costs.h"
#include "infeed/virtual/virtual_simulation.h"

namespace penstock {
namespace {

// Less than this part of the time is no wait.
constexpr double kNoWait = 0.05;

struct CostPoint {
  double units;
  double ns;
};

// Least squares; no part of a cost is negative.
LinearCost FitCost(const std::vector<CostPoint>& points) {
  if (points.empty()) return {};
  double mean_units = 0;
  double mean_ns = 0;
  for (const CostPoint& point : points) {
    mean_units += point.units;
    mean_ns += point.ns;
  }
  mean_units /= static_cast<double>(points.size());
  mean_ns /= static_cast<double>(points.size());
  double spread = 0;
  double together = 0;
  for (const CostPoint& point : points) {
    const double off = point.units - mean_units;
    spread += off * off;
    together += off * (point.ns - mean_ns);
  }
  if (spread <= 0 || together <= 0) return {.fixed_ns = mean_ns};
  const double each = together / spread;
  const double fixed = mean_ns - each * mean_units;
  if (fixed < 0) return {.ns_each = mean_ns / mean_units};
  return {.fixed_ns = fixed, .ns_each = each};
}

// Of a core in a step of this shape.
double TokensOf(const ShapeReport& shape, uint32_t shards) {
  if (shape.steps == 0) return 0;
  const auto rows =
      static_cast<double>(shape.rows.examples + shape.rows.pad_rows);
  return rows * static_cast<double>(shape.length) /
         (static_cast<double>(shape.steps) * shards);
}

LinearCost StepCost(const RunReport& report) {
  std::vector<CostPoint> points;
  for (const StepSpan& step : report.steps) {
    points.push_back(
        {.units = TokensOf(report.shapes[step.shape], report.shards),
         .ns = static_cast<double>(step.end_ns - step.begin_ns -
                                   step.compile_ns)});
  }
  return FitCost(points);
}

LinearCost TransferCost(const RunReport& report) {
  std::vector<CostPoint> points;
  for (const CoreReport& core : report.cores) {
    for (const CoreSpan& span : core.spans) {
      points.push_back({.units = static_cast<double>(span.transfer_bytes),
                        .ns = static_cast<double>(span.transfer_ns)});
    }
  }
  return FitCost(points);
}

double CompileCost(const RunReport& report) {
  double sum_ns = 0;
  for (const CompileEvent& event : report.compiles) {
    sum_ns += static_cast<double>(event.compile_ns);
  }
  return report.compiles.empty()
             ? 0
             : sum_ns / static_cast<double>(report.compiles.size());
}

double MeanTransfer(const RunReport& report) {
  double ns = 0;
  size_t spans = 0;
  for (const CoreReport& core : report.cores) {
    spans += core.spans.size();
    for (const CoreSpan& span : core.spans) {
      ns += static_cast<double>(span.transfer_ns);
    }
  }
  return spans == 0 ? 0 : ns / static_cast<double>(spans);
}

// What host 0 did in the steps of the run.
HostShare ShareOf(const RunReport& report) {
  std::set<uint32_t> shards;
  for (const CoreReport& core : report.cores) {
    if (core.host == 0) shards.insert(core.shard);
  }
  const auto bytes = static_cast<double>(report.rows.bytes);
  return {
      .streamed = !report.planned,
      .rows = static_cast<double>(report.rows.examples + report.rows.pad_rows),
      .fed_bytes = bytes * static_cast<double>(shards.size()) /
                   static_cast<double>(report.shards),
      .dealt_bytes = bytes / report.hosts,
      .read_bytes = bytes / report.hosts};
}

// The profile may be of more batches than were taken, `share` of these.
void AddStages(const PipelineProfile& profile, bool starved,
               const HostShare& share, Calibration& calibration) {
  double built_bytes = 0;
  for (const StageProfile& stage : profile.stages) {
    if (stage.name == "build") built_bytes = static_cast<double>(stage.bytes);
  }
  const double dealt_bytes =
      share.fed_bytes == 0 ? 0
                           : built_bytes * share.dealt_bytes / share.fed_bytes;
  double shared_ns = 0;
  for (const StageProfile& stage : profile.stages) {
    const auto busy_ns = static_cast<double>(stage.busy_ns);
    if (stage.name == "plan") {
      calibration.plan_ns_per_row =
          stage.rows == 0 ? 0 : busy_ns / static_cast<double>(stage.rows);
      continue;
    }
    if (!stage.one_thread) shared_ns += busy_ns;
    const bool fed = !share.streamed || stage.name == "build";
    const double bytes = fed ? built_bytes : dealt_bytes;
    calibration.stages.push_back(
        {.name = stage.name,
         .one_thread = stage.one_thread,
         .ns_per_byte = bytes == 0 ? 0 : busy_ns / bytes});
  }
  calibration.threads = static_cast<uint32_t>(std::max(profile.threads, 1));
  calibration.parallel = calibration.threads;
  // While batches are waited for all threads have work, if they can work: where
  // it is not one thread alone that sets the speed.
  const std::string bound = profile.BoundBy();
  for (const StageProfile& stage : profile.stages) {
    starved = starved && !(stage.one_thread && stage.name == bound);
  }
  const auto active_ns =
      static_cast<double>(profile.wall_ns - profile.blocked_ns);
  if (starved && active_ns > 0 && shared_ns > 0) {
    calibration.parallel =
        std::min(calibration.parallel, shared_ns / active_ns);
  }
}

// From the begin of the first step to the end of the last, compiles left out.
double StepsNs(const RunReport& report) {
  int64_t ns = report.steps.back().end_ns - report.steps.front().begin_ns;
  for (const StepSpan& step : report.steps) ns -= step.compile_ns;
  return static_cast<double>(ns);
}

}  // namespace

StatusOr<Calibration> CalibrationOf(const RunReport& report) {
  if (report.steps.size() < 2 || !report.pipeline) {
    return FailedPreconditionError(fmt::format(
        "a run of {} steps says nothing of what steps cost: take more",
        report.steps.size()));
  }
  const PipelineProfile& profile = *report.pipeline;
  const bool starved = static_cast<double>(profile.starved_ns) >=
                       kNoWait * static_cast<double>(profile.wall_ns);
  Calibration calibration = {
      .of = fmt::format("{} steps of {} host{} with {} threads each, {}, on "
                        "{} devices that are {}",
                        report.steps.size(), report.hosts,
                        report.hosts == 1 ? "" : "s", profile.threads,
                        report.planned ? "planned" : "streamed",
                        report.cores.size(), report.device_kind),
      .streamed = !report.planned,
      .hosts = report.hosts,
      .transfer = TransferCost(report),
      .step = StepCost(report),
      .compile_ns = CompileCost(report)};
  const HostShare share = ShareOf(report);
  AddStages(profile, starved, share, calibration);
  const double steps_ns = StepsNs(report);
  const double transfers_ns =
      MeanTransfer(report) * static_cast<double>(report.steps.size());
  if (share.fed_bytes > 0 && report.times.infeed_percent >= 100 * kNoWait &&
      transfers_ns < (1 - kNoWait) * steps_ns) {
    calibration.hand_over_ns_per_byte =
        std::max(0.0, steps_ns - TimesOf(calibration, share).built_ns()) /
        share.fed_bytes;
  }
  return calibration;
}

}  // namespace penstock
