#include "infeed/training/training_run.h"

#include <fmt/format.h>

#include <thread>
#include <utility>

#include "formats/files/start_thread.h"
#include "formats/files/status_or.h"
#include "infeed/devices/coordinator.h"
#include "infeed/infeed.h"
#include "infeed/sharding/batch_placement.h"
#include "infeed/sharding/device_hosts.h"
#include "infeed/training/training_loop.h"

namespace penstock {
namespace {

using Sources = std::vector<std::unique_ptr<BatchSource>>;

Status CheckSources(const Sources& sources) {
  if (sources.empty()) {
    return InvalidArgumentError("a run needs at least one host");
  }
  for (size_t h = 0; h < sources.size(); ++h) {
    const Topology& topology = sources[h]->topology();
    if (topology.hosts != sources.size() || topology.host != h) {
      return InvalidArgumentError(
          fmt::format("source {} of {} was made for host {} of {}", h,
                      sources.size(), topology.host, topology.hosts));
    }
    if (sources[h]->contract().Fingerprint() !=
        sources[0]->contract().Fingerprint()) {
      return InvalidArgumentError(
          fmt::format("hosts 0 and {} have different contracts:\n{}\nand\n{}",
                      h, sources[0]->contract().Describe(),
                      sources[h]->contract().Describe()));
    }
  }
  return OkStatus();
}

// One host with all that it owns.
struct Host {
  std::vector<std::unique_ptr<SimulatedDevice>> owned;
  std::vector<Device*> devices;
  std::unique_ptr<Infeed> infeed;
  std::vector<CoreTimeline> timelines;
};

class TrainingRun {
 public:
  TrainingRun(Sources sources, const Mesh& mesh, BatchPlacement placement,
              TrainingOptions options)
      : options_(std::move(options)),
        placement_(std::move(placement)),
        clock_(options_.clock != nullptr ? *options_.clock : SteadyClock()),
        begin_ns_(options_.begin_ns != 0 ? options_.begin_ns : clock_.NowNs()),
        contract_(sources[0]->contract()),
        log_(options_.records_per_epoch, contract_.shapes()),
        coordinator_(placement_.host_of_device, contract_,
                     {.max_steps = options_.max_steps,
                      .compile = {.budget = options_.compile_budget}}) {
    hosts_.resize(sources.size());
    for (size_t h = 0; h < sources.size(); ++h) {
      StartHost(static_cast<uint32_t>(h), std::move(sources[h]), mesh);
    }
  }

  StatusOr<RunReport> Run() {
    const std::stop_callback cancel_on_error(coordinator_.stop_token(),
                                             [this] { CancelAll(); });
    const std::stop_callback stop_on_request(
        options_.stop, [this] { coordinator_.RequestStop(); });
    PENSTOCK_ASSIGN_OR_RETURN(
        const Watchdog watchdog,
        Watchdog::Start(
            clock_, [this] { return coordinator_.steps(); }, [this] { Bark(); },
            options_.watchdog));
    const bool none = options_.max_steps == 0;
    const Status status = none ? OkStatus() : RunHosts();
    CancelAll();
    PENSTOCK_RETURN_IF_ERROR(status);
    return Report();
  }

 private:
  void StartHost(uint32_t number, std::unique_ptr<BatchSource> source,
                 const Mesh& mesh) {
    Host& host = hosts_[number];
    for (size_t i = 0; i < placement_.DevicesOf(number).size(); ++i) {
      host.owned.push_back(std::make_unique<SimulatedDevice>(options_.device));
      host.devices.push_back(host.owned.back().get());
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
                      .clock = &clock_});
  }

  // The status once all hosts with devices are done. Hosts without are then
  // cancelled where the run stopped early, which is no error of the run.
  Status RunHosts() {
    const TrainingContext context{.placement = placement_,
                                  .coordinator = coordinator_,
                                  .log = log_,
                                  .clock = clock_};
    std::vector<std::jthread> with_devices;
    std::vector<std::jthread> without;
    for (Host& host : hosts_) {
      auto thread = StartThread([&host, &context] {
        RunHost(*host.infeed, host.devices, context, host.timelines);
      });
      if (!thread.ok()) {
        coordinator_.Fail(thread.status());
        break;
      }
      (host.devices.empty() ? without : with_devices)
          .push_back(*std::move(thread));
    }
    with_devices.clear();
    const Status status = coordinator_.status();
    CancelAll();
    return status;
  }

  void CancelAll() {
    for (Host& host : hosts_) host.infeed->Cancel();
  }

  void Bark() {
    std::string text = fmt::format(
        "no step for {:.3g} s after {} steps; who waits for whom:\n{}",
        static_cast<double>(options_.watchdog.limit_ns) * 1e-9,
        coordinator_.steps(), coordinator_.Describe());
    for (size_t h = 0; h < hosts_.size(); ++h) {
      text += fmt::format("host {}:\n{}", h, hosts_[h].infeed->Describe());
    }
    coordinator_.Fail(DeadlineExceededError(text));
  }

  RunReport Report() {
    RunReport report{.hosts = static_cast<uint32_t>(hosts_.size()),
                     .shards = placement_.shards,
                     .depth = options_.depth,
                     .contract = contract_.Describe(),
                     .begin_ns = begin_ns_,
                     .times = Summarize(log_.steps()),
                     .steps = log_.steps(),
                     .rows = log_.rows(),
                     .compiles = coordinator_.compiles(),
                     .batch_digest = log_.batch_digest(),
                     .record_digest = log_.census().digest(),
                     .epochs = log_.census().Epochs()};
    const PipelineCounts counts = hosts_[0].infeed->counts();
    report.pipeline = hosts_[0].infeed->profile();
    report.dropped = counts.dropped;
    report.truncated = counts.truncated;
    if (log_.state()) report.state = *log_.state();
    if (!log_.steps().empty()) {
      const StepSpan& first = log_.steps().front();
      report.first_step_ns = first.begin_ns + first.compile_ns - begin_ns_;
    }
    for (size_t s = 0; s < contract_.shapes(); ++s) {
      report.shapes.push_back({.length = contract_.lengths[s],
                               .steps = log_.shapes()[s].steps,
                               .rows = log_.shapes()[s].rows});
    }
    const std::vector<int64_t> waited_for_ns = coordinator_.waited_for_ns();
    for (size_t h = 0; h < hosts_.size(); ++h) {
      for (size_t i = 0; i < hosts_[h].devices.size(); ++i) {
        const uint32_t device = hosts_[h].infeed->devices()[i];
        report.cores.push_back(
            {.device = device,
             .host = static_cast<uint32_t>(h),
             .shard = placement_.shard_of_device[device],
             .ledger = hosts_[h].timelines[i].ledger(),
             .waited_for_ns = waited_for_ns[device],
             .depth_ns = hosts_[h].infeed->queue(i).DepthNs(),
             .spans = hosts_[h].timelines[i].spans()});
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
  std::vector<Host> hosts_;
};

}  // namespace

StatusOr<RunReport> RunTraining(
    std::vector<std::unique_ptr<BatchSource>> sources, const Mesh& mesh,
    TrainingOptions options) {
  PENSTOCK_RETURN_IF_ERROR(CheckSources(sources));
  PENSTOCK_ASSIGN_OR_RETURN(
      const DeviceHosts hosts,
      DeviceHosts::Of(mesh.size(), static_cast<uint32_t>(sources.size()),
                      options.host_of_device));
  PENSTOCK_ASSIGN_OR_RETURN(
      BatchPlacement placement,
      PlaceBatch(mesh, options.axis, hosts, options.shardings));
  return TrainingRun(std::move(sources), mesh, std::move(placement),
                     std::move(options))
      .Run();
}

}  // namespace penstock
