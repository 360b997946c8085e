#include "infeed/training/training_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <thread>
#include <utility>

#include "formats/files/start_thread.h"
#include "formats/files/status_or.h"
#include "infeed/devices/coordinator.h"
#include "infeed/sharding/batch_placement.h"
#include "infeed/training/host_report.h"
#include "infeed/training/run_placement.h"
#include "infeed/training/training_host.h"
#include "infeed/training/training_loop.h"

namespace penstock {
namespace {

// How often a process looks whether another has failed.
constexpr int64_t kListenNs = 100'000'000;

// With what all processes end.
StatusOr<RunReport> EndAlike(StatusOr<RunReport> report, Group* group) {
  if (report.ok() || group == nullptr) return report;
  group->Fail(report.status());
  return group->failed();
}

class TrainingRun {
 public:
  TrainingRun(std::vector<std::unique_ptr<BatchSource>> sources,
              const Mesh& mesh, BatchPlacement placement,
              TrainingOptions options)
      : options_(std::move(options)),
        placement_(std::move(placement)),
        clock_(options_.clock != nullptr ? *options_.clock : SteadyClock()),
        begin_ns_(options_.begin_ns != 0 ? options_.begin_ns : clock_.NowNs()),
        contract_(sources[0]->contract()),
        log_(options_.records_per_epoch, contract_.shapes(),
             options_.group == nullptr ? CensusKeeps::kLastTwo
                                       : CensusKeeps::kAll),
        coordinator_(placement_.host_of_device, contract_,
                     {.max_steps = options_.max_steps,
                      .compile = {.budget = options_.compile_budget},
                      .group = options_.group,
                      .clock = &clock_}) {
    hosts_.resize(sources.size());
    for (size_t i = 0; i < sources.size(); ++i) {
      hosts_[i].number = sources[i]->topology().host;
      StartHost(hosts_[i], std::move(sources[i]), mesh);
    }
  }

  StatusOr<RunReport> Run() { return EndAlike(RunToReport(), options_.group); }

 private:
  StatusOr<RunReport> RunToReport() {
    const std::stop_callback cancel_on_error(coordinator_.stop_token(),
                                             [this] { CancelAll(); });
    const std::stop_callback stop_on_request(
        options_.stop, [this] { coordinator_.RequestStop(); });
    PENSTOCK_ASSIGN_OR_RETURN(const Watchdog watchdog,
                              Watchdog::Start(
                                  clock_, [this] { return Moved(); },
                                  [this] { Bark(); }, options_.watchdog));
    std::jthread listener;
    if (options_.group != nullptr) {
      PENSTOCK_ASSIGN_OR_RETURN(
          listener, StartThread([this](std::stop_token stop) {
            Clock& clock = SteadyClock();
            while (clock.WaitUntil(clock.NowNs() + kListenNs, stop)) Listen();
          }));
    }
    LiveRun* const live = options_.live;
    if (live != nullptr) live->Begin([this] { return Look(); });
    const bool none = options_.max_steps == 0;
    Status status = none ? OkStatus() : RunAndSave();
    if (live != nullptr) live->End();
    CancelAll();
    PENSTOCK_RETURN_IF_ERROR(status);
    return options_.group == nullptr ? Report() : ReportOfAll();
  }

  void StartHost(TrainingHost& host, std::unique_ptr<BatchSource> source,
                 const Mesh& mesh) {
    const std::vector<uint32_t> ids = placement_.DevicesOf(host.number);
    for (size_t i = 0; i < ids.size(); ++i) {
      host.devices.push_back(
          options_.devices.empty()
              ? host.AddSimulated(options_.device)
              : options_.devices[options_.group == nullptr ? ids[i] : i]);
    }
    host.timelines.assign(
        host.devices.size(),
        CoreTimeline(begin_ns_, clock_.NowNs(), options_.traced_steps));
    host.infeed = std::make_unique<Infeed>(
        std::move(source), mesh,
        InfeedOptions{.depth = options_.depth,
                      .queue_bytes = options_.queue_bytes,
                      .axis = options_.axis,
                      .shardings = options_.shardings,
                      .host_of_device = options_.host_of_device,
                      .devices = host.devices,
                      .clock = &clock_,
                      .stall_ns = 0});  // the run has a watchdog
    host.infeed->Start();
  }

  Status RunAndSave() {
    RunSavers savers;
    Status status = savers.Start(
        options_.saving, placement_, hosts_[0].number, hosts_.size(),
        [this](const Status& why) { coordinator_.Fail(why); });
    if (status.ok()) status = RunHosts(savers);
    return status.ok() ? savers.Finish() : status;
  }

  // The status once all hosts with devices are done. Hosts without are then
  // cancelled where the run stopped early, which is no error of the run.
  Status RunHosts(const RunSavers& savers) {
    const std::vector<std::jthread> without = DrainHosts(hosts_, coordinator_);
    RunDevices(hosts_, {.placement = placement_,
                        .first_device = FirstDevice(),
                        .coordinator = coordinator_,
                        .log = log_,
                        .clock = clock_,
                        .outfeed = options_.device.outfeed,
                        .savers = savers,
                        .only_times = options_.devices.empty() &&
                                      options_.device.outfeed.every == 0 &&
                                      options_.saving.folder.empty()});
    const Status status = coordinator_.status();
    CancelAll();
    return status;
  }

  void CancelAll() {
    for (TrainingHost& host : hosts_) host.infeed->Cancel();
  }

  // The lowest of this process.
  uint32_t FirstDevice() const {
    return options_.group == nullptr
               ? 0
               : placement_.DevicesOf(options_.group->host()).front();
  }

  std::string DescribeHost(const TrainingHost& host) const {
    return fmt::format("host {}:\n{}", host.number, host.infeed->Describe());
  }

  LiveFigures Look() const {
    LiveFigures live = {.running = true,
                        .steps = coordinator_.steps(),
                        .rows = log_.rows_now(),
                        .depth = options_.depth};
    for (const TrainingHost& host : hosts_) live.hosts.push_back(host.Look());
    return live;
  }

  // Tells the other processes how this one fares, and ends with them.
  void Listen() {
    Group& group = *options_.group;
    const Status failed = group.failed();
    if (!failed.ok()) return coordinator_.Fail(failed);
    group.Beat(fmt::format("{} steps begun, {} records read in sequence\n{}{}",
                           coordinator_.steps(),
                           hosts_[0].infeed->records_read(),
                           coordinator_.Describe(), DescribeHost(hosts_[0])));
  }

  // Another number than before, unless no host takes a step or reads. A host
  // that skips to its place in a compressed file is slow, not stuck.
  uint64_t Moved() const {
    uint64_t moved = coordinator_.steps();
    for (const TrainingHost& host : hosts_)
      moved += host.infeed->records_read();
    if (options_.group == nullptr) return moved;
    for (const HostPulse& pulse : options_.group->Pulses()) {
      moved += std::hash<std::string>()(
          pulse.report.substr(0, pulse.report.find('\n')));
    }
    return moved;
  }

  void Bark() {
    std::string text = fmt::format(
        "no step for {:.3g} s, and nothing read, after {} steps; who waits for "
        "whom:\n{}",
        static_cast<double>(options_.watchdog.limit_ns) * 1e-9,
        coordinator_.steps(), coordinator_.Describe());
    for (const TrainingHost& host : hosts_) text += DescribeHost(host);
    if (options_.group != nullptr) {
      const std::vector<HostPulse> pulses = options_.group->Pulses();
      for (uint32_t h = 0; h < pulses.size(); ++h) {
        if (h == hosts_[0].number) continue;
        text +=
            fmt::format("host {} last said: {}", h,
                        pulses[h].beats == 0 ? "nothing\n" : pulses[h].report);
      }
    }
    coordinator_.Fail(DeadlineExceededError(text));
  }

  // Host 0 is told what the others took; they keep their own.
  StatusOr<RunReport> ReportOfAll() {
    RunReport report = Report();
    Group& group = *options_.group;
    std::vector<std::string> to(group.hosts());
    if (group.host() != 0) {
      to[0] = TellHostReport({.cores = report.cores, .part = log_.Part()},
                             coordinator_.origin_ns());
    }
    PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> told,
                              group.Exchange(std::move(to)));
    report.hosts = report.processes = group.hosts();
    if (group.host() != 0) return report;
    for (uint32_t host = 1; host < group.hosts(); ++host) {
      PENSTOCK_ASSIGN_OR_RETURN(
          HostReport theirs,
          HearHostReport(told[host], coordinator_.origin_ns()));
      log_.Merge(theirs.part);
      std::ranges::move(theirs.cores, std::back_inserter(report.cores));
    }
    AddLog(log_, contract_, report);
    return report;
  }

  RunReport Report() {
    RunReport report{.hosts = static_cast<uint32_t>(hosts_.size()),
                     .shards = placement_.shards,
                     .depth = options_.depth,
                     .contract = contract_.Describe(),
                     .begin_ns = begin_ns_,
                     .times = Summarize(log_.steps()),
                     .steps = log_.steps(),
                     .compiles = coordinator_.compiles()};
    AddLog(log_, contract_, report);
    const PipelineCounts counts = hosts_[0].infeed->counts();
    report.pipeline = hosts_[0].infeed->profile();
    report.dropped = counts.dropped;
    report.truncated = counts.truncated;
    if (log_.state()) report.state = *log_.state();
    if (!log_.steps().empty()) {
      const StepSpan& first = log_.steps().front();
      report.first_step_ns = first.begin_ns + first.compile_ns - begin_ns_;
    }
    const std::vector<int64_t> waited_for_ns = coordinator_.waited_for_ns();
    for (const TrainingHost& host : hosts_) {
      for (size_t i = 0; i < host.devices.size(); ++i) {
        const uint32_t device = host.infeed->devices()[i];
        report.cores.push_back({.device = device,
                                .host = host.number,
                                .shard = placement_.shard_of_device[device],
                                .ledger = host.timelines[i].ledger(),
                                .waited_for_ns = waited_for_ns[device],
                                .depth_ns = host.infeed->queue(i).DepthNs(),
                                .spans = host.timelines[i].spans()});
      }
    }
    report.wall_ns = report.cores[0].ledger.wall_ns();
    return report;
  }

  const TrainingOptions options_;
  const BatchPlacement placement_;
  Clock& clock_;
  const int64_t begin_ns_;
  const Contract contract_;
  RunLog log_;
  Coordinator coordinator_;
  std::vector<TrainingHost> hosts_;
};

}  // namespace

StatusOr<RunReport> RunTraining(
    std::vector<std::unique_ptr<BatchSource>> sources, const Mesh& mesh,
    TrainingOptions options) {
  StatusOr<BatchPlacement> placement = PlaceRun(sources, mesh, options);
  if (!placement.ok()) return EndAlike(placement.status(), options.group);
  options.depth = std::max<size_t>(options.depth, 1);  // as queues have it
  return TrainingRun(std::move(sources), mesh, *std::move(placement),
                     std::move(options))
      .Run();
}

}  // namespace penstock
