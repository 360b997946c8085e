// Batches of one host on their way to its devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/files/status.h"
#include "infeed/sharding/core_slice.h"
#include "infeed/sharding/mesh.h"
#include "infeed/sharding/partition_spec.h"
#include "pipeline/pipeline.h"

namespace penstock {

class BatchSource;  // infeed/queues/batch_source.h
class Clock;        // infeed/queues/clock.h
class Device;       // infeed/device.h
class DeviceBatch;  // infeed/device.h
class Group;        // pipeline/group.h
class InfeedQueue;  // infeed/queues/infeed_queue.h

struct InfeedOptions {
  // Batches in each device's queue at most. They are on the device or on their
  // way to it, so each costs a batch of its memory.
  size_t depth = 2;
  // Bytes in each device's queue at most; one batch is always allowed.
  uint64_t queue_bytes = 1ull << 30;
  // The mesh axes that cut the rows of a batch, major first: "data,fsdp".
  std::string axis = "data";
  // Of tensors that are cut otherwise; carried to those that share dimensions.
  std::vector<TensorSharding> shardings = {};
  // [devices of the mesh]; empty for blocks of ids (DeviceHosts::Blocks()).
  std::vector<uint32_t> host_of_device = {};
  // One for each of this host's devices by rising id, borrowed; they must
  // outlive the infeed. Empty leaves batches in host memory.
  std::vector<Device*> devices = {};
  // Borrowed. Null is SteadyClock().
  Clock* clock = nullptr;
  // Who waits for a batch so long, while nothing is read, is stuck: the infeed
  // ends with kDeadlineExceeded, which tells of all queues, on all hosts. Waits
  // for the machine's clock. 0 is never. 300 s is what JAX waits for a host.
  int64_t stall_ns = 300'000'000'000;
  // Where this host tells the others how its queues fare, and hears of theirs,
  // for that message: the pipeline's group, or another. Borrowed.
  Group* group = nullptr;
  // Each so many steps hosts that feed the same rows compare all bytes of them
  // (about 10 GB/s, and a round of the group, ahead of use); where they differ
  // all end with a kDataLoss that names hosts, feature and row. 0 is never.
  uint64_t verify_replicas = 0;
  // Of all hosts, for that alone: one more channel of JoinByGrpc() or
  // JoinByMpi(). Borrowed.
  Group* replica_group = nullptr;
};

// What this host's devices take in one step.
struct InfeedBatch {
  uint64_t step = 0;
  size_t shape = 0;  // number of its length in Contract::lengths
  // One for each local device, by rising id. Where there are devices these tell
  // what is in `loaded`, without its bytes.
  std::vector<CoreSlice> slices;
  // The same on the devices of InfeedOptions, ready; empty without.
  std::vector<std::shared_ptr<DeviceBatch>> loaded;
  // The position once the devices have consumed this batch.
  State state_after;
};

// Pulls batches ahead of use on a thread of its own, cuts each into views for
// the host's devices by the mesh, and keeps a bounded queue for each device
// full. Devices that hold copies of the same rows share the bytes.
//
//   Infeed infeed(*std::move(pipeline), mesh, {.depth = 2});
//   while (auto batch = infeed.Next()) Train(*batch);
//   if (!infeed.status().ok()) ...
//
// Use either Next() or the queues of single devices; the first of either, or
// Start(), begins to pull. infeed/checkpoints.h saves where it is.
//
// Threads: Next() from one; each queue from one; Cancel() and counts from any.
// Errors:  the source's; kInvalidArgument where pipeline and mesh do not fit;
//          kInternal for a batch that breaks the contract; kDeadlineExceeded
//          where it is stuck. Batches before the error are delivered.
class Infeed {
 public:
  Infeed(Pipeline pipeline, const Mesh& mesh, InfeedOptions options = {});
  Infeed(std::unique_ptr<BatchSource> source, const Mesh& mesh,
         InfeedOptions options = {});
  // Cancels what runs, source first, then waits for it, and for the devices to
  // be done with what was asked of them.
  ~Infeed();
  Infeed(const Infeed&) = delete;
  Infeed& operator=(const Infeed&) = delete;

  // As Pipeline::Restore(): goes on from `state` instead of the start.
  // Errors:  also kFailedPrecondition once it has started.
  Status Restore(const State& state);
  // Makes the first batch and leaves it out, to compare it with one that was
  // taken before; Next() goes on behind it. nullopt at the end of data.
  // Errors:  as Next(); kFailedPrecondition once it has started.
  StatusOr<std::optional<Batch>> SkipFirst();
  // Begins to fill the queues ahead of the first Next().
  void Start();

  // The next step; nullopt at the end of data or at an error: see status().
  std::optional<InfeedBatch> Next();
  // The position behind the last batch of Next(), or that it begins at.
  State state() const;
  // OK while it runs and after the end of data.
  Status status() const;

  // Ids of this host's devices, rising.
  const std::vector<uint32_t>& devices() const;
  // The queue of devices()[i]. A host without devices has none.
  InfeedQueue& queue(size_t i);
  const Contract& contract() const;
  const Topology& topology() const;

  // Ends every wait inside, now and later. Never blocks.
  void Cancel();
  // The same with a cause, which status() is then, also on the other hosts of
  // the pipeline's group.
  void Leave(const Status& why);

  // As the source has it; from any thread.
  uint64_t records_read() const;

  // What the source counted up to the last batch it gave.
  PipelineCounts counts() const;
  // BatchSource::profile().
  std::optional<PipelineProfile> profile() const;
  // Pipeline::Explain(); empty of a source that is none.
  std::string Explain() const;
  // For the watchdog: a line for each queue with its depth and last step.
  std::string Describe() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock
