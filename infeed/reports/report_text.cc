#include "infeed/reports/reports.h"

#include <fmt/format.h>

#include <algorithm>

namespace penstock {
namespace {

double Ms(int64_t ns) { return static_cast<double>(ns) * 1e-6; }

double Percent(int64_t part_ns, int64_t whole_ns) {
  return whole_ns == 0 ? 0.0
                       : 100.0 * static_cast<double>(part_ns) /
                             static_cast<double>(whole_ns);
}

std::string Speed(const RunReport& report) {
  const StepSummary& times = report.times;
  std::string text = fmt::format(
      "{} training: {} steps in {:.3f} s on {} host{}{}, {} cores, "
      "queue "
      "depth {}, {}\n",
      report.device_kind, times.steps, Ms(report.wall_ns) * 1e-3, report.hosts,
      report.hosts == 1 ? "" : "s",
      report.processes == 1 ? std::string()
                            : fmt::format(" in {} processes", report.processes),
      report.cores.size(), report.depth,
      report.planned ? "planned" : "streamed");
  if (!report.memory.empty()) text += "  " + report.memory;
  text += fmt::format("  {:.0f} examples/s", report.examples_per_second());
  if (report.rows.all_tokens > 0) {
    text += fmt::format(", {:.0f} tokens/s", report.tokens_per_second());
  }
  text +=
      fmt::format(", first step after {:.1f} ms\n", Ms(report.first_step_ns));
  text += fmt::format(
      "  step time p50 {:.3f} ms, p90 {:.3f}, p99 {:.3f}, max {:.3f}\n",
      Ms(times.p50_ns), Ms(times.p90_ns), Ms(times.p99_ns), Ms(times.max_ns));
  text += fmt::format("  input wait p50 {:.3f} ms, p99 {:.3f}, max {:.3f}\n",
                      Ms(times.wait_p50_ns), Ms(times.wait_p99_ns),
                      Ms(times.wait_max_ns));
  text += fmt::format(
      "  {}: {:.2f} % of steady step time; AU {:.2f} %, goodput {:.2f} %, "
      "bound by {}\n",
      InputBoundName(InputBoundOf(times.infeed_percent)), times.infeed_percent,
      times.au_percent, report.goodput_percent(), report.bound_by());
  if (times.outfeed_percent > 0) {
    text += fmt::format("  {}: {:.2f} % of steady step time\n",
                        OutfeedBoundName(InputBoundOf(times.outfeed_percent)),
                        times.outfeed_percent);
  }
  return text;
}

std::string LedgerTable(const RunReport& report) {
  std::string text = fmt::format(
      "\nwhere the time went ({} device time)\n"
      "  {:<14} {:>12} {:>8}   {:>12} {:>7}\n",
      report.device_kind, "", "mean ms", "%", "worst ms", "core");
  int64_t sum_ns = 0;
  for (size_t b = 0; b < kBuckets; ++b) {
    const auto bucket = static_cast<Bucket>(b);
    const auto worst = std::ranges::max_element(
        report.cores, {},
        [&](const CoreReport& core) { return core.ledger.ns(bucket); });
    const int64_t mean_ns = report.MeanNs(bucket);
    sum_ns += mean_ns;
    text += fmt::format("  {:<14} {:>12.3f} {:>8.2f}   {:>12.3f} {:>7}\n",
                        BucketName(bucket), Ms(mean_ns),
                        Percent(mean_ns, report.wall_ns),
                        Ms(worst->ledger.ns(bucket)), worst->device);
  }
  text += fmt::format("  {:<14} {:>12.3f} {:>8.2f}\n", "wall", Ms(sum_ns),
                      Percent(sum_ns, report.wall_ns));
  const auto late =
      std::ranges::max_element(report.cores, {}, &CoreReport::waited_for_ns);
  if (late->waited_for_ns > 0) {
    text += fmt::format(
        "  others waited most for core {} of host {}: {:.3f} ms in all\n",
        late->device, late->host, Ms(late->waited_for_ns));
  }
  return text;
}

std::string Shapes(const RunReport& report) {
  std::string text = fmt::format(
      "\nshapes and compiles: {} declared, {} "
      "compiled\n",
      report.shapes.size(), report.compiles.size());
  for (const ShapeReport& shape : report.shapes) {
    text +=
        fmt::format("  length {:>6}: {} steps\n", shape.length, shape.steps);
  }
  for (const CompileEvent& event : report.compiles) {
    text += fmt::format("  step {:>8}: {:.0f} ms, {}\n", event.step,
                        Ms(event.compile_ns), event.cause);
  }
  return text;
}

std::string Rows(const RunReport& report) {
  const RowCounts& rows = report.rows;
  std::string text = fmt::format(
      "\nrows: {} examples, {} that pad, {} dropped, {} truncated\n",
      rows.examples, rows.pad_rows, report.dropped, report.truncated);
  if (rows.all_tokens > 0) {
    text += fmt::format("tokens: {} real of {}\n", rows.real_tokens,
                        rows.all_tokens);
  }
  text += fmt::format("padding: {:.2f} %; {} bytes to the devices\n",
                      report.padding_percent(), rows.bytes);
  for (const EpochCensus& epoch : report.epochs) {
    text += fmt::format("epoch {}: {} records seen, {} twice", epoch.epoch,
                        epoch.seen, epoch.duplicated);
    text += epoch.missing ? fmt::format(", {} missing\n", *epoch.missing)
                          : std::string("\n");
  }
  return text;
}

}  // namespace

std::string ReportText(const RunReport& report) {
  std::string text = Speed(report);
  if (!report.cores.empty()) text += LedgerTable(report);
  text += Shapes(report);
  text += Rows(report);
  if (report.pipeline) text += "\n" + report.pipeline->Describe();
  text += fmt::format("digest of batches {:016x}, of {} record ids {:016x}\n",
                      report.batch_digest, report.record_digest.count(),
                      report.record_digest.value());
  text += fmt::format("state: epoch {}, step {} ({} in the epoch)\n",
                      report.state.epoch, report.state.step,
                      report.state.step_in_epoch);
  return text;
}

}  // namespace penstock
