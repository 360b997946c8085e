#include "tests/infeed/made_batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <utility>

#include "formats/files/status_or.h"
#include "pipeline/build/batch_layout.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

template <typename T>
void Fill(const std::vector<T>& values, Tensor& tensor) {
  ASSERT_EQ(tensor.bytes.size(), values.size() * sizeof(T));
  std::ranges::copy(std::as_bytes(std::span(values)), tensor.bytes.begin());
}

}  // namespace

Contract TokenContract(int64_t rows, std::vector<int64_t> lengths) {
  Contract contract;
  contract.rows = rows;
  contract.lengths = std::move(lengths);
  contract.tensors = {{.name = "tokens",
                       .type = ElementType::kInt32,
                       .row_shape = {TensorSpec::kBucketLength}},
                      {.name = "tokens_length",
                       .type = ElementType::kInt32,
                       .row_shape = {},
                       .role = Role::kLengths},
                      {.name = "weights",
                       .type = ElementType::kFloat32,
                       .row_shape = {},
                       .role = Role::kWeights}};
  return contract;
}

Batch MakeBatch(const Contract& contract, const Topology& topology,
                uint64_t step, size_t shape, uint64_t records) {
  const uint64_t rows = contract.rows / topology.shards;
  const int64_t length = contract.lengths[shape];
  std::vector<int32_t> tokens;
  std::vector<int32_t> lengths;
  std::vector<float> weights;
  std::vector<uint64_t> record_ids;
  std::vector<uint32_t> row_offsets = {0};
  for (const uint32_t shard : topology.ShardsOf(topology.host)) {
    for (uint64_t row = shard * rows; row < (shard + 1) * rows; ++row) {
      const uint64_t id = step * contract.rows + row;
      const bool real = id < records;
      if (real) record_ids.push_back(id);
      row_offsets.push_back(static_cast<uint32_t>(record_ids.size()));
      weights.push_back(real ? 1 : 0);
      lengths.push_back(real ? static_cast<int32_t>(length) - 1 : 0);
      for (int64_t i = 0; i < length; ++i) {
        tokens.push_back(
            real && i + 1 < length ? static_cast<int32_t>(id * 1000 + i) : 0);
      }
    }
  }
  BufferPool pool(0);
  Batch batch;
  batch.shape = shape;
  EXPECT_OK(GiveMemory(contract, static_cast<int64_t>(row_offsets.size()) - 1,
                       pool, batch));
  batch.step = step;
  batch.record_ids = std::move(record_ids);
  batch.row_offsets = std::move(row_offsets);
  Fill(tokens, batch.tensors[0]);
  Fill(lengths, batch.tensors[1]);
  Fill(weights, batch.tensors[2]);
  batch.state_after.step = step + 1;
  batch.state_after.step_in_epoch = step + 1;
  return batch;
}

StatusOr<std::optional<Batch>> MadeBatches::Next() {
  {
    const std::lock_guard lock(mutex_);
    if (cancelled_) return CancelledError("the source was cancelled");
  }
  if (options_.before) {
    const Status status = options_.before(*this, step_);
    if (!status.ok()) return status;
  }
  if (step_ == options_.steps) return std::nullopt;
  Batch batch = MakeBatch(options_.contract, options_.topology, step_,
                          options_.shapes[step_ % options_.shapes.size()],
                          options_.records);
  ++step_;
  if (options_.change) options_.change(batch);
  return batch;
}

Status MadeBatches::Restore(const State& state) {
  step_ = state.step;
  return OkStatus();
}

void MadeBatches::Cancel() {
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
  }
  changed_.notify_all();
}

Status MadeBatches::AwaitCancel() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return cancelled_; });
  return CancelledError("the source was cancelled");
}

Topology TopologyOf(uint32_t shards, uint32_t hosts, uint32_t host) {
  Topology topology;
  topology.shards = shards;
  topology.hosts = hosts;
  topology.host = host;
  if (hosts > shards) {
    topology.shards_of_host.resize(hosts);
    for (uint32_t s = 0; s < shards; ++s) topology.shards_of_host[s] = {s};
  }
  return topology;
}

std::vector<std::unique_ptr<BatchSource>> MadeForHosts(
    uint32_t shards, uint32_t hosts, MadeOptions options,
    const std::function<void(MadeOptions&)>& change) {
  std::vector<std::unique_ptr<BatchSource>> sources;
  for (uint32_t h = 0; h < hosts; ++h) {
    MadeOptions mine = options;
    mine.topology = TopologyOf(shards, hosts, h);
    if (change) change(mine);
    sources.push_back(std::make_unique<MadeBatches>(std::move(mine)));
  }
  return sources;
}

}  // namespace penstock::testing
