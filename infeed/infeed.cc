#include "infeed/infeed.h"

#include <fmt/format.h>

#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "formats/files/start_thread.h"
#include "formats/files/status_or.h"
#include "infeed/devices/feeder.h"
#include "infeed/devices/stall_watch.h"
#include "infeed/queues/batch_source.h"
#include "infeed/queues/clock.h"
#include "infeed/queues/infeed_queue.h"
#include "infeed/queues/replica_check.h"
#include "infeed/sharding/device_hosts.h"
#include "infeed/sharding/slice_places.h"

namespace penstock {
namespace {

StatusOr<std::vector<SlicePlace>> PlacesOf(const BatchSource& source,
                                           const Mesh& mesh,
                                           const InfeedOptions& options) {
  const Topology& topology = source.topology();
  PENSTOCK_ASSIGN_OR_RETURN(
      const DeviceHosts hosts,
      DeviceHosts::Of(mesh.size(), topology.hosts, options.host_of_device));
  PENSTOCK_ASSIGN_OR_RETURN(
      std::vector<SlicePlace> places,
      PlaceSlices(mesh, source.contract(), topology, options.axis, hosts,
                  options.shardings));
  if (!options.devices.empty() && options.devices.size() != places.size()) {
    return InvalidArgumentError(
        fmt::format("host {} has {} devices in the mesh, but {} were given",
                    topology.host, places.size(), options.devices.size()));
  }
  return places;
}

}  // namespace

class Infeed::Impl {
 public:
  Impl(std::unique_ptr<BatchSource> source, const Mesh& mesh,
       InfeedOptions options)
      : source_(std::move(source)),
        contract_(std::make_shared<const Contract>(source_->contract())),
        options_(std::move(options)),
        clock_(options_.clock != nullptr ? *options_.clock : SteadyClock()),
        state_(source_->start()) {
    auto places = PlacesOf(*source_, mesh, options_);
    if (places.ok()) {
      places_ = *std::move(places);
    } else {
      status_ = places.status();
    }
    for (const SlicePlace& place : places_) devices_.push_back(place.device);
    // A host without devices still takes every step: it has one queue, of
    // slices without rows.
    if (places_.empty()) places_.emplace_back();
    for (const SlicePlace& place : places_) {
      queues_.push_back(std::make_unique<InfeedQueue>(
          *contract_, place.rows, clock_,
          InfeedQueueOptions{.depth = options_.depth,
                             .bytes = options_.queue_bytes}));
    }
    if (!status_.ok()) Abandon();
  }

  ~Impl() {
    watchdog_.reset();
    Cancel();
    if (feeder_.joinable()) feeder_.join();
    queues_.clear();  // batches go before their devices may
    for (Device* device : options_.devices) device->Drain();
  }

  void Start() {
    const std::lock_guard lock(start_mutex_);
    if (started_) return;
    started_ = true;
    if (stop_.stop_requested()) return;
    const Status watched = Watch();
    StatusOr<std::jthread> feeder = watched;
    if (watched.ok()) feeder = StartThread([this] { Feed(); });
    if (feeder.ok()) {
      feeder_ = *std::move(feeder);
      return;
    }
    SetStatus(feeder.status());
    source_->Cancel();  // other hosts may wait for its batches
    Abandon();
  }

  Status Restore(const State& state) {
    const std::lock_guard lock(start_mutex_);
    PENSTOCK_RETURN_IF_ERROR(CheckNotStarted("Restore()"));
    PENSTOCK_RETURN_IF_ERROR(source_->Restore(state));
    SetState(state);
    return OkStatus();
  }

  StatusOr<std::optional<Batch>> SkipFirst() {
    const std::lock_guard lock(start_mutex_);
    PENSTOCK_RETURN_IF_ERROR(CheckNotStarted("SkipFirst()"));
    PENSTOCK_ASSIGN_OR_RETURN(std::optional<Batch> batch, source_->Next());
    if (batch) SetState(batch->state_after);
    return batch;
  }

  std::optional<InfeedBatch> Next() {
    Start();
    InfeedBatch batch;
    for (auto& queue : queues_) {
      auto item = queue->Pop();
      if (!item.ok()) SetStatus(item.status());
      if (!item.ok() || !*item) return std::nullopt;
      batch.slices.push_back(std::move((*item)->slice));
      if ((*item)->loaded == nullptr) continue;
      const DeviceBatch& loaded = *(*item)->loaded;
      const Status there =
          loaded.ready().Await(clock_, stop_.get_token()).status();
      if (!there.ok()) {
        SetStatus(there);
        return std::nullopt;
      }
      batch.loaded.push_back(std::move((*item)->loaded));
    }
    batch.step = batch.slices[0].step();
    batch.shape = batch.slices[0].shape();
    batch.state_after = batch.slices[0].state_after();
    SetState(batch.state_after);
    if (devices_.empty()) batch.slices.clear();
    return batch;
  }

  // The end of the chain first: nothing may wait for what was cancelled.
  void Cancel() {
    source_->Cancel();
    stop_.request_stop();
    for (auto& queue : queues_) queue->Cancel();
    for (Device* device : options_.devices) device->Cancel();
  }

  void Leave(const Status& why) {
    SetStatus(why);
    source_->Leave(why);
    Cancel();
  }

  Status status() const {
    const std::lock_guard lock(mutex_);
    return status_;
  }
  PipelineCounts counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }
  State state() const {
    const std::lock_guard lock(mutex_);
    return state_;
  }
  const BatchSource& source() const { return *source_; }
  const std::vector<uint32_t>& devices() const { return devices_; }
  InfeedQueue& queue(size_t i) {
    Start();
    return *queues_[i];
  }
  const Contract& contract() const { return *contract_; }

  std::string Describe() const {
    return DescribeQueues(places_, queues_, options_.depth);
  }

 private:
  void Feed() {
    const Feeder feeder = {.source = *source_,
                           .contract = contract_,
                           .places = places_,
                           .queues = queues_,
                           .devices = options_.devices,
                           .clock = clock_,
                           .counted = [this](const PipelineCounts& counts) {
                             const std::lock_guard lock(mutex_);
                             counts_ = counts;
                           }};
    const Status status = feeder.Run();
    for (auto& queue : queues_) queue->Close(status);
  }

  Status Watch() {
    if (options_.stall_ns <= 0) return OkStatus();
    StatusOr<Watchdog> watchdog =
        WatchForStalls({.stall_ns = options_.stall_ns,
                        .group = options_.group,
                        .source = *source_,
                        .queues = queues_,
                        .describe = [this] { return Describe(); }},
                       [this](const Status& stalled) {
                         SetStatus(stalled);
                         source_->Leave(stalled);
                         for (auto& queue : queues_) queue->Close(stalled);
                       });
    PENSTOCK_RETURN_IF_ERROR(watchdog.status());
    watchdog_.emplace(*std::move(watchdog));
    return OkStatus();
  }

  Status CheckNotStarted(std::string_view call) const {
    PENSTOCK_RETURN_IF_ERROR(status());
    if (!started_) return OkStatus();
    return FailedPreconditionError(fmt::format(
        "{} must come before the first Next() of the infeed", call));
  }

  // Nobody will feed the queues.
  void Abandon() {
    started_ = true;
    for (auto& queue : queues_) queue->Close(status());
  }

  void SetStatus(const Status& status) {
    const std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = status;
  }
  void SetState(const State& state) {
    const std::lock_guard lock(mutex_);
    state_ = state;
  }

  const std::unique_ptr<BatchSource> source_;
  const std::shared_ptr<const Contract> contract_;
  const InfeedOptions options_;
  Clock& clock_;
  std::vector<SlicePlace> places_;
  std::vector<uint32_t> devices_;
  std::vector<std::unique_ptr<InfeedQueue>> queues_;
  std::stop_source stop_;

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  Status status_;
  PipelineCounts counts_;
  State state_;

  std::mutex start_mutex_;
  bool started_ = false;  // guarded by start_mutex_

  std::jthread feeder_;
  std::optional<Watchdog> watchdog_;
};

Infeed::Infeed(Pipeline pipeline, const Mesh& mesh, InfeedOptions options)
    : Infeed(FromPipeline(std::move(pipeline)), mesh, std::move(options)) {}

Infeed::Infeed(std::unique_ptr<BatchSource> source, const Mesh& mesh,
               InfeedOptions options)
    : impl_(std::make_unique<Impl>(
          CheckReplicas(std::move(source), {.every = options.verify_replicas,
                                            .group = options.replica_group}),
          mesh, std::move(options))) {}

Infeed::~Infeed() = default;

Status Infeed::Restore(const State& state) { return impl_->Restore(state); }
StatusOr<std::optional<Batch>> Infeed::SkipFirst() {
  return impl_->SkipFirst();
}
void Infeed::Start() { impl_->Start(); }
std::optional<InfeedBatch> Infeed::Next() { return impl_->Next(); }
State Infeed::state() const { return impl_->state(); }
Status Infeed::status() const { return impl_->status(); }
const std::vector<uint32_t>& Infeed::devices() const {
  return impl_->devices();
}
InfeedQueue& Infeed::queue(size_t i) { return impl_->queue(i); }
const Contract& Infeed::contract() const { return impl_->contract(); }
const Topology& Infeed::topology() const { return impl_->source().topology(); }
void Infeed::Cancel() { impl_->Cancel(); }
void Infeed::Leave(const Status& why) { impl_->Leave(why); }
uint64_t Infeed::records_read() const { return impl_->source().records_read(); }
PipelineCounts Infeed::counts() const { return impl_->counts(); }
std::optional<PipelineProfile> Infeed::profile() const {
  return impl_->source().profile();
}
std::string Infeed::Explain() const { return impl_->source().Explain(); }
std::string Infeed::Describe() const { return impl_->Describe(); }

}  // namespace penstock
