#include "pipeline/run/checks.h"

#include <fmt/format.h>

#include <string>

#include "pipeline/arrange/steps.h"
#include "pipeline/build/batch_layout.h"

namespace penstock {
namespace {

bool Carries(const Stages& stages) {
  const StepOptions steps = {.leftover = stages.batch.leftover,
                             .leftovers = stages.leftovers()};
  return steps.Carries();
}

}  // namespace

Status CheckSizes(const Stages& stages, const Topology& topology,
                  const CompileOptions& options) {
  const Contract contract = stages.MakeContract();
  const auto shards = topology.ShardsOf(topology.host).size();
  for (size_t shape = contract.shapes(); shape-- > 0;) {
    const uint64_t mine =
        shards *
        topology.RowsOfShard(static_cast<uint64_t>(contract.RowsOf(shape)));
    const uint64_t bytes =
        BatchBytes(contract, shape, static_cast<int64_t>(mine));
    if (bytes <= options.max_batch_bytes) continue;
    return InvalidArgumentError(fmt::format(
        "{} rows of a batch of length {} take {} bytes on this host, but "
        "CompileOptions::max_batch_bytes is {}: use smaller batches, shorter "
        "lengths or more hosts",
        mine, stages.ShapeName(shape), bytes, options.max_batch_bytes));
  }
  return OkStatus();
}

Status CheckStreamed(const Stages& stages, const Sources& sources,
                     const Topology& topology, const CompileOptions& options,
                     const std::string& why) {
  if (!stages.withdrawn.empty()) {
    return InvalidArgumentError(fmt::format(
        "Withdraw is of planned pipelines, and this one is streamed ({}): use "
        "Exclude",
        why));
  }
  if (stages.pack && stages.pack->kind == PackKind::kMegatron) {
    return InvalidArgumentError(fmt::format(
        "PackKind::kMegatron is of planned pipelines, and this one is streamed "
        "({}): its order needs all lengths before the first step",
        why));
  }
  if (Carries(stages)) {
    return InvalidArgumentError(fmt::format(
        "Leftover::kCarry is of planned pipelines, and this one is streamed "
        "({}): use Leftover::kPad or Leftover::kDrop",
        why));
  }
  if (sources.indexed == nullptr && stages.shuffle &&
      stages.shuffle->block_records > 0) {
    return InvalidArgumentError(fmt::format(
        "{}, so its records can only be read in sequence and not in blocks "
        "that "
        "change places: build indexes with `recordtool index`, or leave out "
        "block_records",
        sources.each.front().why_sequential));
  }
  if (sources.indexed == nullptr && stages.shuffle &&
      stages.shuffle->window_records == 0) {
    return InvalidArgumentError(fmt::format(
        "{}, so its records can only be read in sequence and not shuffled all "
        "together: build indexes with `recordtool index`, or set "
        "window_records to shuffle windows",
        sources.each.front().why_sequential));
  }
  if (topology.hosts > 1 && stages.rows_vary() && options.group == nullptr) {
    return InvalidArgumentError(fmt::format(
        "{} hosts must tell each other the lengths of \"{}\", as the pipeline "
        "is streamed: give CompileOptions::group",
        topology.hosts, stages.by()));
  }
  return OkStatus();
}

Status TooLongError(const std::string& where, const Stages& stages,
                    uint64_t length) {
  if (stages.grid()) {
    std::string most;
    for (const std::string& feature : stages.arranging()) {
      most += fmt::format("{}{} of \"{}\"", most.empty() ? "" : ", ",
                          stages.LengthsOf(feature).back(), feature);
    }
    return InvalidArgumentError(fmt::format(
        "{}: a feature has more values than its longest length ({}): add a "
        "longer one or use TooLong::kTruncate or TooLong::kDrop",
        where, most));
  }
  return InvalidArgumentError(fmt::format(
      "{}: feature \"{}\" has {} values, but the longest length is {}: add a "
      "longer one or use TooLong::kTruncate or TooLong::kDrop",
      where, stages.by(), length, stages.lengths().back()));
}

Status CheckForecast(const Stages& stages, const Sources& sources,
                     const LengthTable& lengths, const Forecast& forecast) {
  if (forecast.too_long) {
    return TooLongError(sources.indexed->Locate(*forecast.too_long), stages,
                        lengths(*forecast.too_long));
  }
  // What packed rows leave over is known only when they are.
  if (stages.pack) return OkStatus();
  if ((stages.batch.leftover == Leftover::kError ||
       !stages.leftovers().empty()) &&
      forecast.left_over_queue) {
    const size_t queue = *forecast.left_over_queue;
    const uint64_t rows = forecast.queue_rows[queue];
    const int64_t size = stages.MakeContract().RowsOf(queue);
    return FailedPreconditionError(fmt::format(
        "{} rows{} do not fill whole batches of {}: {} are left over; use "
        "Leftover::kPad or Leftover::kDrop",
        rows,
        stages.bucket ? fmt::format(" of length {}", stages.ShapeName(queue))
                      : std::string(),
        size, rows % static_cast<uint64_t>(size)));
  }
  if (forecast.steps == 0 && stages.epochs == 0 && !Carries(stages)) {
    return FailedPreconditionError(
        "Repeat for ever, but an epoch has no batch: every row is dropped; use "
        "smaller batches or Leftover::kPad");
  }
  return OkStatus();
}

}  // namespace penstock
