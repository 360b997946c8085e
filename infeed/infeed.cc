#include "infeed/infeed.h"

#include <fmt/format.h>

#include <iterator>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "formats/files/start_thread.h"
#include "formats/files/status_or.h"
#include "infeed/devices/watchdog.h"
#include "infeed/queues/batch_source.h"
#include "infeed/queues/clock.h"
#include "infeed/queues/infeed_queue.h"
#include "infeed/sharding/device_hosts.h"
#include "infeed/sharding/slice_places.h"
#include "pipeline/group.h"

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
        clock_(options_.clock != nullptr ? *options_.clock : SteadyClock()) {
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
    if (status_.ok()) status_ = Watch();
    if (status_.ok()) {
      auto feeder = StartThread([this] { Feed(); });
      if (feeder.ok()) {
        feeder_ = *std::move(feeder);
        return;
      }
      status_ = feeder.status();
      source_->Cancel();  // other hosts may wait for its batches
    }
    watchdog_.reset();
    for (auto& queue : queues_) queue->Close(status_);
  }

  ~Impl() {
    watchdog_.reset();
    Cancel();
    if (feeder_.joinable()) feeder_.join();
    // They may still read what is in the queues.
    for (Device* device : options_.devices) device->Drain();
  }

  std::optional<InfeedBatch> Next() {
    InfeedBatch batch;
    for (auto& queue : queues_) {
      auto item = queue->Pop();
      if (!item.ok()) SetStatus(item.status());
      if (!item.ok() || !*item) {
        Keep(batch);
        return std::nullopt;
      }
      if (options_.devices.empty() ||
          clock_.WaitUntil((*item)->ready_ns, stop_.get_token())) {
        batch.slices.push_back(std::move((*item)->slice));
        continue;
      }
      SetStatus(CancelledError("the infeed was cancelled"));
      batch.slices.push_back(std::move((*item)->slice));
      Keep(batch);
      return std::nullopt;
    }
    batch.step = batch.slices[0].step();
    batch.shape = batch.slices[0].shape();
    batch.state_after = batch.slices[0].state_after();
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

  uint64_t records_read() const { return source_->records_read(); }

  Status status() const {
    const std::lock_guard lock(mutex_);
    return status_;
  }
  PipelineCounts counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }
  std::optional<PipelineProfile> profile() const { return source_->profile(); }
  const std::vector<uint32_t>& devices() const { return devices_; }
  InfeedQueue& queue(size_t i) { return *queues_[i]; }
  const Contract& contract() const { return *contract_; }

  std::string Describe() const {
    std::string text;
    for (size_t i = 0; i < queues_.size(); ++i) {
      const std::optional<uint64_t> step = queues_[i]->last_step();
      text += fmt::format(
          "device {}: {} of {} batches queued, last {}\n", places_[i].device,
          queues_[i]->depth(), options_.depth,
          step ? fmt::format("step {}", *step) : std::string("none"));
    }
    return text;
  }

 private:
  void Feed() {
    const Status status = FeedAll();
    for (auto& queue : queues_) queue->Close(status);
  }

  Status FeedAll() {
    while (true) {
      PENSTOCK_ASSIGN_OR_RETURN(std::optional<Batch> batch, source_->Next());
      {
        const PipelineCounts counts = source_->counts();
        const std::lock_guard lock(mutex_);
        counts_ = counts;
      }
      if (!batch) return OkStatus();
      PENSTOCK_RETURN_IF_ERROR(
          FeedOne(std::make_shared<const Batch>(*std::move(batch))));
    }
  }

  Status FeedOne(std::shared_ptr<const Batch> batch) {
    for (size_t i = 0; i < places_.size(); ++i) {
      PENSTOCK_ASSIGN_OR_RETURN(
          CoreSlice slice, CoreSlice::Create(batch, contract_, places_[i]));
      PENSTOCK_RETURN_IF_ERROR(queues_[i]->AwaitRoom(slice.size_bytes()));
      const int64_t now_ns = clock_.NowNs();
      int64_t ready_ns = now_ns;
      if (!options_.devices.empty()) {
        PENSTOCK_ASSIGN_OR_RETURN(const Work transfer,
                                  options_.devices[i]->Transfer(slice, now_ns));
        ready_ns = transfer.end_ns;
      }
      const Status pushed = queues_[i]->Push(
          {.slice = slice, .pushed_ns = now_ns, .ready_ns = ready_ns});
      if (!pushed.ok()) {
        Keep({.slices = {std::move(slice)}});
        return pushed;
      }
    }
    return OkStatus();
  }

  // Of a batch that nobody gets: devices may still read it.
  void Keep(InfeedBatch batch) {
    const std::lock_guard lock(mutex_);
    std::ranges::move(batch.slices, std::back_inserter(kept_));
  }

  Status Watch() {
    if (options_.stall_ns <= 0) return OkStatus();
    StatusOr<Watchdog> watchdog = Watchdog::Start(
        SteadyClock(), [this] { return Moved(); }, [this] { Stall(); },
        {.limit_ns = options_.stall_ns});
    PENSTOCK_RETURN_IF_ERROR(watchdog.status());
    watchdog_.emplace(*std::move(watchdog));
    return OkStatus();
  }

  // Another number than before, unless somebody waits and nothing moves.
  uint64_t Moved() {
    if (options_.group != nullptr) options_.group->Beat(Describe());
    bool awaited = false;
    uint64_t pushed = 0;
    for (const auto& queue : queues_) {
      awaited = awaited || queue->is_awaited();
      pushed += queue->last_step() ? *queue->last_step() + 1 : 0;
    }
    if (!awaited) ++unawaited_looks_;
    return unawaited_looks_ + pushed + source_->records_read();
  }

  void Stall() {
    std::string text =
        fmt::format("no batch came for {:.3g} s, and nothing was read:\n{}",
                    static_cast<double>(options_.stall_ns) * 1e-9, Describe());
    if (options_.group != nullptr) {
      const std::vector<HostPulse> pulses = options_.group->Pulses();
      for (uint32_t h = 0; h < pulses.size(); ++h) {
        if (h == options_.group->host()) continue;
        text += fmt::format(
            "host {} last said:\n{}", h,
            pulses[h].report.empty() ? "nothing\n" : pulses[h].report);
      }
    }
    const Status status = DeadlineExceededError(text);
    SetStatus(status);
    source_->Leave(status);
    for (auto& queue : queues_) queue->Close(status);
  }

  void SetStatus(const Status& status) {
    const std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = status;
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
  std::vector<CoreSlice> kept_;

  uint64_t unawaited_looks_ = 0;  // of the watchdog's thread
  std::jthread feeder_;
  std::optional<Watchdog> watchdog_;
};

Infeed::Infeed(Pipeline pipeline, const Mesh& mesh, InfeedOptions options)
    : Infeed(FromPipeline(std::move(pipeline)), mesh, std::move(options)) {}

Infeed::Infeed(std::unique_ptr<BatchSource> source, const Mesh& mesh,
               InfeedOptions options)
    : impl_(std::make_unique<Impl>(std::move(source), mesh,
                                   std::move(options))) {}

Infeed::~Infeed() = default;

std::optional<InfeedBatch> Infeed::Next() { return impl_->Next(); }
Status Infeed::status() const { return impl_->status(); }
const std::vector<uint32_t>& Infeed::devices() const {
  return impl_->devices();
}
InfeedQueue& Infeed::queue(size_t i) { return impl_->queue(i); }
const Contract& Infeed::contract() const { return impl_->contract(); }
void Infeed::Cancel() { impl_->Cancel(); }
uint64_t Infeed::records_read() const { return impl_->records_read(); }
PipelineCounts Infeed::counts() const { return impl_->counts(); }
std::optional<PipelineProfile> Infeed::profile() const {
  return impl_->profile();
}
std::string Infeed::Describe() const { return impl_->Describe(); }

}  // namespace penstock
