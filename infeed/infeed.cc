#include "infeed/infeed.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "formats/files/start_thread.h"
#include "formats/files/status_or.h"
#include "infeed/queues/batch_source.h"
#include "infeed/queues/clock.h"
#include "infeed/queues/infeed_queue.h"
#include "infeed/sharding/batch_placement.h"
#include "infeed/sharding/device_hosts.h"
#include "infeed/sharding/slice_cuts.h"

namespace penstock {
namespace {

// Rows of the host's batch that each of its devices takes.
StatusOr<std::vector<SlicePlace>> PlacesOf(const BatchSource& source,
                                           const Mesh& mesh,
                                           const InfeedOptions& options) {
  const Topology& topology = source.topology();
  PENSTOCK_ASSIGN_OR_RETURN(
      const DeviceHosts hosts,
      DeviceHosts::Of(mesh.size(), topology.hosts, options.host_of_device));
  PENSTOCK_ASSIGN_OR_RETURN(
      const BatchPlacement placement,
      PlaceBatch(mesh, options.axis, hosts, options.shardings));
  const Topology placed = placement.TopologyOf(topology.host);
  const std::vector<uint32_t> shards = topology.ShardsOf(topology.host);
  if (placed.shards != topology.shards ||
      placed.ShardsOf(topology.host) != shards) {
    return InvalidArgumentError(fmt::format(
        "the pipeline was compiled for {} shards, {} of them on host {} of {}, "
        "but axis \"{}\" of the mesh ({}) gives that host other ones; compile "
        "it with BatchTopology(mesh, \"{}\", {}, {})",
        topology.shards, shards.size(), topology.host, topology.hosts,
        options.axis, mesh.Describe(), options.axis, topology.hosts,
        topology.host));
  }
  const std::vector<uint32_t> devices = placement.DevicesOf(topology.host);
  std::vector<std::shared_ptr<const SliceCuts>> cuts(devices.size());
  if (!options.shardings.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(
        cuts, CutSlices(mesh, source.contract(), topology, options.axis,
                        options.shardings, devices));
  }
  const auto rows = static_cast<int64_t>(
      topology.RowsOfShard(static_cast<uint64_t>(source.contract().rows)));
  std::vector<SlicePlace> places;
  for (size_t i = 0; i < devices.size(); ++i) {
    const uint32_t shard = placement.shard_of_device[devices[i]];
    const auto number =
        std::ranges::find(shards, shard * placement.parts) - shards.begin();
    places.push_back({.device = devices[i],
                      .shard = shard,
                      .row_begin = number * rows,
                      .rows = rows * placement.parts,
                      .cuts = std::move(cuts[i])});
  }
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
    if (status_.ok()) {
      auto feeder = StartThread([this] { Feed(); });
      if (feeder.ok()) {
        feeder_ = *std::move(feeder);
        return;
      }
      status_ = feeder.status();
      source_->Cancel();  // other hosts may wait for its batches
    }
    for (auto& queue : queues_) queue->Close(status_);
  }

  ~Impl() {
    Cancel();
    if (feeder_.joinable()) feeder_.join();
  }

  std::optional<InfeedBatch> Next() {
    InfeedBatch batch;
    for (auto& queue : queues_) {
      auto item = queue->Pop();
      if (!item.ok()) SetStatus(item.status());
      if (!item.ok() || !*item) return std::nullopt;
      if (options_.devices.empty() ||
          clock_.WaitUntil((*item)->ready_ns, stop_.get_token())) {
        batch.slices.push_back(std::move((*item)->slice));
        continue;
      }
      SetStatus(CancelledError("the infeed was cancelled"));
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
  }

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
      PENSTOCK_RETURN_IF_ERROR(queues_[i]->Push({.slice = std::move(slice),
                                                 .pushed_ns = now_ns,
                                                 .ready_ns = ready_ns}));
    }
    return OkStatus();
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

  std::jthread feeder_;
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
PipelineCounts Infeed::counts() const { return impl_->counts(); }
std::optional<PipelineProfile> Infeed::profile() const {
  return impl_->profile();
}
std::string Infeed::Describe() const { return impl_->Describe(); }

}  // namespace penstock
