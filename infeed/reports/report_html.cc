#include "infeed/reports/reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "infeed/reports/html_charts.h"
#include "infeed/reports/report_style.h"
#include "infeed/reports/step_bins.h"

namespace penstock {
namespace {

constexpr size_t kBins = 240;
// Bars of one chart; a pod has more hosts than anyone reads.
constexpr size_t kMostBars = 64;

std::string Duration(int64_t ns) {
  const auto value = static_cast<double>(ns);
  if (ns >= 1'000'000'000) return fmt::format("{:.2f} s", value * 1e-9);
  if (ns >= 1'000'000) return fmt::format("{:.2f} ms", value * 1e-6);
  return fmt::format("{:.1f} us", value * 1e-3);
}

std::string Count(double value) {
  if (value >= 1e9) return fmt::format("{:.2f} G", value * 1e-9);
  if (value >= 1e6) return fmt::format("{:.2f} M", value * 1e-6);
  if (value >= 1e4) return fmt::format("{:.1f} k", value * 1e-3);
  return fmt::format("{:.0f}", value);
}

// Those of depths are 8 to 13.
int ColorOf(Bucket bucket) {
  if (bucket == Bucket::kCheckpoint) return 14;
  if (bucket == Bucket::kOutfeedWait) return 15;
  return bucket == Bucket::kDrain ? 7 : static_cast<int>(bucket);
}

std::string Figures(const RunReport& report) {
  std::string html = "<div class=\"figures\">\n";
  const auto add = [&](const std::string& value, std::string_view what) {
    html += fmt::format("<div><b>{}</b><span>{}</span></div>\n", value, what);
  };
  const StepSummary& times = report.times;
  add(fmt::format("{:.2f} %", times.au_percent), "device utilisation");
  add(fmt::format("{:.2f} %", report.goodput_percent()),
      "goodput: real rows' compute");
  add(fmt::format("{:.2f} %", times.infeed_percent),
      HtmlText(InputBoundName(InputBoundOf(times.infeed_percent))));
  if (times.outfeed_percent > 0) {
    add(fmt::format("{:.2f} %", times.outfeed_percent),
        HtmlText(OutfeedBoundName(InputBoundOf(times.outfeed_percent))));
  }
  add(HtmlText(report.bound_by()), "sets the pace");
  if (report.rows.all_tokens > 0) {
    add(Count(report.tokens_per_second()), "tokens a second");
  }
  add(Count(report.examples_per_second()), "examples a second");
  add(fmt::format("{:.2f} %", report.padding_percent()), "padding");
  add(Duration(times.p50_ns), "a step, median");
  add(Duration(times.p99_ns), "a step, 99 of 100 are faster");
  add(Duration(times.wait_p99_ns), "wait for input, 99 of 100 are shorter");
  add(fmt::format("{}", report.compiles.size()), "compiles");
  return html + "</div>\n";
}

std::string Timeline(const RunReport& report) {
  std::vector<ChartPart> parts = {
      {"compute", ColorOf(Bucket::kCompute)},
      {"compile", ColorOf(Bucket::kCompile)},
      {"wait for input", ColorOf(Bucket::kInfeedWait)}};
  const bool outfeed = report.times.outfeed_percent > 0;
  if (outfeed) {
    parts.push_back({"wait for outfeed", ColorOf(Bucket::kOutfeedWait)});
  }
  std::vector<ChartBar> columns;
  for (const StepBin& bin :
       BinSteps(report.steps, report.begin_ns, report.wall_ns, kBins)) {
    const auto part = [&](Phase phase) {
      return bin.parts[static_cast<size_t>(phase)];
    };
    columns.push_back(
        {.label = fmt::format(
             "step {}: compute {:.1f} %, compile {:.1f} %, wait {:.1f} %",
             bin.first_step, 100 * part(Phase::kCompute),
             100 * part(Phase::kCompile), 100 * part(Phase::kWait)),
         .values = {part(Phase::kCompute), part(Phase::kCompile),
                    part(Phase::kWait)},
         .note = {}});
    if (!outfeed) continue;
    columns.back().label +=
        fmt::format(", outfeed {:.1f} %", 100 * part(Phase::kOutfeed));
    columns.back().values.push_back(part(Phase::kOutfeed));
  }
  return "<h2>What the devices did, from start to end</h2>\n" +
         ChartLegend(parts) + Columns(parts, columns) +
         fmt::format("<p class=\"axis\"><span>0</span><span>{}</span></p>\n",
                     Duration(report.wall_ns));
}

// Cores, or hosts where there are several: what stands for one bar.
std::map<uint32_t, std::vector<const CoreReport*>> Groups(
    const RunReport& report) {
  std::map<uint32_t, std::vector<const CoreReport*>> groups;
  for (const CoreReport& core : report.cores) {
    groups[report.hosts > 1 ? core.host : core.device].push_back(&core);
  }
  return groups;
}

std::string GroupName(const RunReport& report) {
  return report.hosts > 1 ? "host" : "core";
}

// A bar of `parts` for each group, as fill(cores, bar) makes it, and how many
// are not shown.
template <typename Fill>
std::string GroupBars(const RunReport& report,
                      const std::vector<ChartPart>& parts, double whole,
                      Fill fill) {
  const auto groups = Groups(report);
  std::vector<ChartBar> bars;
  for (const auto& [number, cores] : groups) {
    if (bars.size() == kMostBars) break;
    bars.push_back({.label = fmt::format("{} {}", GroupName(report), number),
                    .values = std::vector<double>(parts.size()),
                    .note = {}});
    fill(cores, bars.back());
  }
  std::string html = ChartLegend(parts) + LyingBars(parts, bars, whole);
  if (groups.size() > kMostBars) {
    html += fmt::format("<p>The first {} of {} are shown.</p>\n", kMostBars,
                        groups.size());
  }
  return html;
}

std::string Ledgers(const RunReport& report) {
  std::vector<ChartPart> parts;
  for (size_t b = 0; b < kBuckets; ++b) {
    const auto bucket = static_cast<Bucket>(b);
    parts.push_back({std::string(BucketName(bucket)), ColorOf(bucket)});
  }
  const auto fill = [](const std::vector<const CoreReport*>& cores,
                       ChartBar& bar) {
    int64_t waited_for_ns = 0;
    for (const CoreReport* core : cores) {
      for (size_t b = 0; b < kBuckets; ++b) {
        bar.values[b] +=
            static_cast<double>(core->ledger.ns(static_cast<Bucket>(b))) /
            static_cast<double>(cores.size());
      }
      waited_for_ns += core->waited_for_ns;
    }
    if (waited_for_ns > 0) {
      bar.note = fmt::format("others waited {}", Duration(waited_for_ns));
    }
  };
  return fmt::format(
             "<h2>Where the time of each {} went</h2>\n<p>Simulated device "
             "time; every nanosecond is in one part.</p>\n",
             GroupName(report)) +
         GroupBars(report, parts, static_cast<double>(report.wall_ns), fill);
}

// Depths as they are, or in steps of a part of the queue where it is deep.
size_t DepthPart(size_t depth, size_t most) {
  if (most < kDepthColors) return depth;
  if (depth == 0) return 0;
  if (depth == most) return kDepthColors - 1;
  return 1 + (depth - 1) * (kDepthColors - 2) / (most - 1);
}

std::string Queues(const RunReport& report) {
  const size_t used = std::min<size_t>(report.depth + 1, kDepthColors);
  std::vector<ChartPart> parts;
  for (size_t p = 0; p < used; ++p) {
    const bool exact = report.depth < kDepthColors;
    const int color =
        kDepthColor + static_cast<int>(p * (kDepthColors - 1) / (used - 1));
    std::string name = fmt::format("{}", p);
    if (p == 0) name = "empty";
    if (p == used - 1) name = fmt::format("full: {}", report.depth);
    if (!exact && p > 0 && p < used - 1) {
      name = fmt::format("{} of {} parts", p, kDepthColors - 2);
    }
    parts.push_back({name, color});
  }
  const auto fill = [&](const std::vector<const CoreReport*>& cores,
                        ChartBar& bar) {
    double sum = 0;
    for (const CoreReport* core : cores) {
      for (size_t d = 0; d < core->depth_ns.size(); ++d) {
        const auto ns = static_cast<double>(core->depth_ns[d]);
        bar.values[std::min(DepthPart(d, report.depth), used - 1)] += ns;
        sum += ns;
      }
    }
    for (double& value : bar.values) value = sum == 0 ? 0 : value / sum;
    bar.note = fmt::format("empty {:.1f} %", 100 * bar.values[0]);
  };
  return "<h2>How full the infeed queues were</h2>\n" +
         GroupBars(report, parts, 1, fill);
}

std::string ShapesChart(const RunReport& report) {
  const std::vector<ChartPart> parts = {
      {"real", ColorOf(Bucket::kCompute)},
      {"padding", ColorOf(Bucket::kPadCompute)}};
  std::vector<ChartBar> bars;
  for (const ShapeReport& shape : report.shapes) {
    const double padding = shape.rows.padding_percent() / 100;
    const bool any = shape.steps > 0;
    bars.push_back({.label = shape.length > 0
                                 ? fmt::format("length {}", shape.length)
                                 : "rows",
                    .values = {any ? 1 - padding : 0, any ? padding : 0},
                    .note = fmt::format("{} steps, padding {:.2f} %",
                                        shape.steps, 100 * padding)});
  }
  return "<h2>What each shape wasted</h2>\n" + ChartLegend(parts) +
         LyingBars(parts, bars, 1);
}

std::string Compiles(const RunReport& report) {
  std::string html =
      "<h2>Compiles</h2>\n<table><tr><th class=\"n\">step</th><th class=\"n\">"
      "time</th><th>cause</th></tr>\n";
  for (const CompileEvent& event : report.compiles) {
    html += fmt::format(
        "<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
        event.step, Duration(event.compile_ns), HtmlText(event.cause));
  }
  return html + "</table>\n";
}

std::string Head(const RunReport& report, const std::string& title) {
  return fmt::format(
      "<h1>{}</h1>\n<p>{} steps in {} on {} host{} with {} cores, queue depth "
      "{}, {}; {} records, digest {:016x}</p>\n",
      HtmlText(title), report.times.steps, Duration(report.wall_ns),
      report.hosts, report.hosts == 1 ? "" : "s", report.cores.size(),
      report.depth, report.planned ? "planned" : "streamed",
      report.record_digest.count(), report.batch_digest);
}

}  // namespace

std::string ReportHtml(const RunReport& report, const std::string& title) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<title>{}</title>\n<style>{}</style>\n</head>\n"
      "<body>\n",
      HtmlText(title), kReportStyle);
  html += Head(report, title);
  html += Figures(report);
  html += Timeline(report);
  html += Ledgers(report);
  html += Queues(report);
  html += ShapesChart(report);
  html += Compiles(report);
  if (report.pipeline) {
    html += fmt::format("<h2>What host 0's pipeline did</h2>\n<pre>{}</pre>\n",
                        HtmlText(report.pipeline->Describe()));
  }
  if (!report.explain.empty()) {
    html += fmt::format("<h2>The pipeline</h2>\n<pre>{}</pre>\n",
                        HtmlText(report.explain));
  }
  return html + "</body>\n</html>\n";
}

}  // namespace penstock
