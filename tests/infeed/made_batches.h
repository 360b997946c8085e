// Batches made on the spot, so that an infeed can be tested without files.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "infeed/queues/batch_source.h"

namespace penstock::testing {

// tokens int32 [rows, length], its lengths, weights.
Contract TokenContract(int64_t rows, std::vector<int64_t> lengths);

// The part of global step `step` that `topology.host` makes: row r of the whole
// batch is record step * rows + r, of which those from `records` on pad.
Batch MakeBatch(const Contract& contract, const Topology& topology,
                uint64_t step, size_t shape, uint64_t records);

class MadeBatches;

struct MadeOptions {
  Contract contract = TokenContract(16, {4});
  Topology topology = {};
  uint64_t steps = 4;
  uint64_t records = 1u << 30;
  // The shape of each step; repeats.
  std::vector<size_t> shapes = {0};
  // Called before each batch, `steps` included; an error ends the data.
  std::function<Status(MadeBatches&, uint64_t step)> before = nullptr;
  // What records_read() says; null is 0.
  std::function<uint64_t()> read = nullptr;
  // Changes each batch after it is made.
  std::function<void(Batch&)> change = nullptr;
};

class MadeBatches : public BatchSource {
 public:
  explicit MadeBatches(MadeOptions options) : options_(std::move(options)) {}

  StatusOr<std::optional<Batch>> Next() override;
  Status Restore(const State& state) override;
  void Cancel() override;
  const Contract& contract() const override { return options_.contract; }
  const Topology& topology() const override { return options_.topology; }
  uint64_t records_read() const override {
    return options_.read ? options_.read() : 0;
  }

  // Waits until Cancel().
  Status AwaitCancel();

 private:
  const MadeOptions options_;
  uint64_t step_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool cancelled_ = false;
};

// A host's topology for one axis of `shards` devices.
Topology TopologyOf(uint32_t shards, uint32_t hosts, uint32_t host);

// One source for each host; `change` may make hosts differ.
std::vector<std::unique_ptr<BatchSource>> MadeForHosts(
    uint32_t shards, uint32_t hosts, MadeOptions options = {},
    const std::function<void(MadeOptions&)>& change = nullptr);

}  // namespace penstock::testing
