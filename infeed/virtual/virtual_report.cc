#include "infeed/virtual/virtual_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostHostsBlamed = 8;

double Milliseconds(int64_t ns) { return static_cast<double>(ns) * 1e-6; }

int64_t Sum(const std::vector<int64_t>& parts) {
  return std::accumulate(parts.begin(), parts.end(), int64_t{0});
}

// Hosts that others waited for, the worst first.
std::vector<uint32_t> Blamed(const VirtualReport& report) {
  std::vector<uint32_t> hosts;
  for (uint32_t host = 0; host < report.blame_ns.size(); ++host) {
    if (Sum(report.blame_ns[host]) > 0) hosts.push_back(host);
  }
  std::ranges::stable_sort(hosts, [&](uint32_t a, uint32_t b) {
    return Sum(report.blame_ns[a]) > Sum(report.blame_ns[b]);
  });
  return hosts;
}

double Part(int64_t part_ns, int64_t whole_ns) {
  return 100.0 * static_cast<double>(part_ns) / static_cast<double>(whole_ns);
}

std::string FailuresText(const FailureReport& failures, double goodput) {
  const int64_t wall_ns = failures.wall_ns;
  return fmt::format(
      "  with {} failures: {:.3f} s, goodput {:.2f} %; {} saves, one each "
      "{:.3f} s of steps{}; {} steps done again\n"
      "  steps that count {:.2f} %, saves {:.2f} %, lost {:.2f} %, restarts "
      "{:.2f} %\n",
      failures.failures, Milliseconds(wall_ns) * 1e-3, goodput, failures.saves,
      Milliseconds(failures.interval_ns) * 1e-3,
      failures.found ? ", the best that was found" : "", failures.steps_again,
      Part(failures.kept_ns, wall_ns), Part(failures.save_ns, wall_ns),
      Part(failures.lost_ns, wall_ns), Part(failures.restart_ns, wall_ns));
}

Json FailuresJson(const FailureReport& failures) {
  return {{"failures", failures.failures},
          {"saves", failures.saves},
          {"save_interval_ns", failures.interval_ns},
          {"save_interval_found", failures.found},
          {"steps_again", failures.steps_again},
          {"kept_ns", failures.kept_ns},
          {"save_ns", failures.save_ns},
          {"lost_ns", failures.lost_ns},
          {"restart_ns", failures.restart_ns},
          {"wall_ns", failures.wall_ns}};
}

}  // namespace

std::string_view VirtualStageName(VirtualStage stage) {
  switch (stage) {
    case VirtualStage::kBuild:
      return "build";
    case VirtualStage::kTransfer:
      return "transfer";
    case VirtualStage::kDevice:
      return "device";
    case VirtualStage::kOutfeed:
      return "outfeed";
  }
  return "";
}

double VirtualReport::utilisation_percent() const {
  if (wall_ns == 0) return 0;
  return 100.0 *
         static_cast<double>(MeanNs(Bucket::kCompute) +
                             MeanNs(Bucket::kPadCompute)) /
         static_cast<double>(wall_ns);
}

double VirtualReport::goodput_percent() const {
  const int64_t all_ns = failures ? failures->wall_ns : wall_ns;
  return all_ns == 0 ? 0
                     : 100.0 * static_cast<double>(MeanNs(Bucket::kCompute)) /
                           static_cast<double>(all_ns);
}

int64_t VirtualReport::MeanNs(Bucket bucket) const {
  __int128 sum = 0;
  for (const VirtualCore& core : cores) sum += core.ledger.ns(bucket);
  return static_cast<int64_t>(sum / static_cast<__int128>(cores.size()));
}

VirtualStage VirtualReport::bound() const {
  if (times.outfeed_percent > times.infeed_percent &&
      InputBoundOf(times.outfeed_percent) != InputBound::kNot) {
    return VirtualStage::kOutfeed;
  }
  if (InputBoundOf(times.infeed_percent) == InputBound::kNot) {
    return VirtualStage::kDevice;
  }
  int64_t build_ns = 0;
  int64_t transfer_ns = 0;
  for (const std::vector<int64_t>& host : blame_ns) {
    build_ns += host[static_cast<size_t>(VirtualStage::kBuild)];
    transfer_ns += host[static_cast<size_t>(VirtualStage::kTransfer)];
  }
  return build_ns >= transfer_ns ? VirtualStage::kBuild
                                 : VirtualStage::kTransfer;
}

std::string_view VirtualReport::bound_by() const {
  if (bound() == VirtualStage::kBuild && !build_stage.empty()) {
    return build_stage;
  }
  return VirtualStageName(bound());
}

std::string VirtualReportText(const VirtualReport& report) {
  const StepSummary& times = report.times;
  std::string text = fmt::format(
      "virtual time, a prediction: {} steps in {:.3f} s on {} hosts, {} cores, "
      "queue depth {}, seed {}\n",
      times.steps, Milliseconds(report.wall_ns) * 1e-3, report.hosts,
      report.cores.size(), report.depth, report.seed);
  if (report.rows_read) {
    text += fmt::format(
        "  streamed: the data was read for the lengths of {} rows, which "
        "arrange its steps\n",
        *report.rows_read);
  }
  for (const std::string& note : report.notes) text += "  " + note + "\n";
  if (!report.memory.empty()) text += "  " + report.memory;
  text += fmt::format(
      "  step time p50 {:.3f} ms, p90 {:.3f}, p99 {:.3f}, max {:.3f}\n",
      Milliseconds(times.p50_ns), Milliseconds(times.p90_ns),
      Milliseconds(times.p99_ns), Milliseconds(times.max_ns));
  text += fmt::format("  input wait p50 {:.3f} ms, p99 {:.3f}, max {:.3f}\n",
                      Milliseconds(times.wait_p50_ns),
                      Milliseconds(times.wait_p99_ns),
                      Milliseconds(times.wait_max_ns));
  text += fmt::format(
      "  {}: {:.2f} % of steady step time; utilisation {:.2f} %, AU {:.2f} %, "
      "bound by the {}{}\n",
      InputBoundName(InputBoundOf(times.infeed_percent)), times.infeed_percent,
      report.utilisation_percent(), times.au_percent,
      VirtualStageName(report.bound()),
      report.bound() == VirtualStage::kBuild && !report.build_stage.empty()
          ? fmt::format(", most of it {}", report.build_stage)
          : std::string());
  if (times.outfeed_percent > 0) {
    text += fmt::format("  {}: {:.2f} % of steady step time\n",
                        OutfeedBoundName(InputBoundOf(times.outfeed_percent)),
                        times.outfeed_percent);
  }
  if (report.failures) {
    text += FailuresText(*report.failures, report.goodput_percent());
  }
  for (size_t b = 0; b < kBuckets; ++b) {
    const auto bucket = static_cast<Bucket>(b);
    text += fmt::format("  {:<14} {:>14.3f} ms a core\n", BucketName(bucket),
                        Milliseconds(report.MeanNs(bucket)));
  }
  const std::vector<uint32_t> hosts = Blamed(report);
  const size_t shown = std::min(hosts.size(), kMostHostsBlamed);
  for (size_t i = 0; i < shown; ++i) {
    const std::vector<int64_t>& blame = report.blame_ns[hosts[i]];
    const int64_t drained_ns =
        blame[static_cast<size_t>(VirtualStage::kOutfeed)];
    text += fmt::format(
        "  all waited {:.3f} ms for host {}: {:.3f} to build, {:.3f} to "
        "transfer{}\n",
        Milliseconds(Sum(blame)), hosts[i],
        Milliseconds(blame[static_cast<size_t>(VirtualStage::kBuild)]),
        Milliseconds(blame[static_cast<size_t>(VirtualStage::kTransfer)]),
        drained_ns == 0 ? std::string()
                        : fmt::format(", {:.3f} to take what it is sent",
                                      Milliseconds(drained_ns)));
  }
  if (shown < hosts.size()) {
    text += fmt::format("  and for {} more hosts\n", hosts.size() - shown);
  }
  return text;
}

std::string VirtualReportJson(const VirtualReport& report) {
  const StepSummary& times = report.times;
  Json json = {{"clock", "virtual"},
               {"hosts", report.hosts},
               {"cores", report.cores.size()},
               {"queue_depth", report.depth},
               {"seed", report.seed},
               {"steps", times.steps},
               {"wall_ns", report.wall_ns},
               {"first_step_ns", report.first_step_ns},
               {"step_times",
                {{"p50_ns", times.p50_ns},
                 {"p90_ns", times.p90_ns},
                 {"p99_ns", times.p99_ns},
                 {"max_ns", times.max_ns},
                 {"input_wait_p50_ns", times.wait_p50_ns},
                 {"input_wait_p99_ns", times.wait_p99_ns},
                 {"input_wait_max_ns", times.wait_max_ns},
                 {"infeed_percent", times.infeed_percent},
                 {"outfeed_percent", times.outfeed_percent},
                 {"au_percent", times.au_percent}}},
               {"utilisation_percent", report.utilisation_percent()},
               {"goodput_percent", report.goodput_percent()},
               {"bound", VirtualStageName(report.bound())},
               {"bound_by", report.bound_by()}};
  if (report.rows_read) json["rows_read"] = *report.rows_read;
  if (!report.notes.empty()) json["notes"] = report.notes;
  if (!report.build_stage.empty()) json["build_stage"] = report.build_stage;
  for (size_t b = 0; b < kBuckets; ++b) {
    const auto bucket = static_cast<Bucket>(b);
    json["mean_ledger"][std::string(BucketKey(bucket))] = report.MeanNs(bucket);
  }
  if (report.failures) json["failures"] = FailuresJson(*report.failures);
  json["blame"] = Json::array();
  for (const uint32_t host : Blamed(report)) {
    Json blame = {{"host", host}};
    for (size_t stage = 0; stage < kVirtualStages; ++stage) {
      blame[fmt::format("{}_ns",
                        VirtualStageName(static_cast<VirtualStage>(stage)))] =
          report.blame_ns[host][stage];
    }
    json["blame"].push_back(std::move(blame));
  }
  return json.dump(2) + "\n";
}

}  // namespace penstock
