#include "infeed/sharding/slice_cuts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/files/status_or.h"
#include "infeed/sharding/batch_tensors.h"

namespace penstock {
namespace {

// A cut of rows, in the topology's shards, as rows of the host's batch: the
// host has all of these shards, so that they are neighbours there.
IndexRange HostRows(IndexRange shards, const std::vector<uint32_t>& of_host,
                    int64_t rows_of_shard) {
  const auto first =
      std::ranges::lower_bound(of_host, static_cast<uint32_t>(shards.begin));
  const int64_t begin = (first - of_host.begin()) * rows_of_shard;
  return {begin, begin + shards.size() * rows_of_shard};
}

class Cutter {
 public:
  Cutter(const Contract& contract, const Topology& topology)
      : contract_(contract),
        shards_(topology.shards),
        topology_(topology),
        of_host_(topology.ShardsOf(topology.host)) {}

  void Add(SliceCuts& cuts, size_t shape, size_t t, const Sharding& sharding,
           uint32_t device) const {
    const std::vector<int64_t> global =
        contract_.ShapeOf(t, shape, contract_.RowsOf(shape));
    TensorCut cut{.block = sharding.RangesOf(device, global),
                  .shard = sharding.ShardShape(global)};
    // Rows that pad are there, too: the batch's own.
    std::vector<int64_t> in_shards = global;
    in_shards[0] = shards_;
    cut.block[0] = HostRows(sharding.RangesOf(device, in_shards)[0], of_host_,
                            RowsOfShard(shape));
    cut.shard[0] = cut.block[0].size();
    uint64_t bytes = SizeBytes(contract_.tensors[t].type);
    for (const int64_t size : cut.shard) bytes *= static_cast<uint64_t>(size);
    cuts.of_shape[shape].push_back(std::move(cut));
    cuts.size_bytes[shape] += bytes;
  }

  bool even(size_t shape) const {
    return contract_.RowsOf(shape) % shards_ == 0;
  }

 private:
  int64_t RowsOfShard(size_t shape) const {
    return static_cast<int64_t>(
        topology_.RowsOfShard(static_cast<uint64_t>(contract_.RowsOf(shape))));
  }

  const Contract& contract_;
  const int64_t shards_;
  const Topology& topology_;
  const std::vector<uint32_t> of_host_;
};

}  // namespace

StatusOr<std::vector<std::shared_ptr<const SliceCuts>>> CutSlices(
    const Mesh& mesh, const Contract& contract, const Topology& topology,
    std::string_view axes, const std::vector<TensorSharding>& shardings,
    const std::vector<uint32_t>& devices) {
  const Cutter cutter(contract, topology);
  std::vector<SliceCuts> cuts(
      devices.size(),
      {.of_shape = std::vector<std::vector<TensorCut>>(contract.shapes()),
       .size_bytes = std::vector<uint64_t>(contract.shapes())});
  for (size_t shape = 0; shape < contract.shapes(); ++shape) {
    PENSTOCK_ASSIGN_OR_RETURN(
        const Completion completion,
        CompleteBatch(mesh, contract, shape, axes, shardings));
    for (size_t t = 0; t < contract.tensors.size(); ++t) {
      PENSTOCK_ASSIGN_OR_RETURN(
          const Sharding sharding,
          Sharding::Create(mesh, completion.shardings[t].spec));
      if (!cutter.even(shape) && sharding.tiles()[0] != topology.shards) {
        return InvalidArgumentError(fmt::format(
            "{} rows do not divide by {} shards, and {} cuts them into {}: "
            "shards would not begin at the same rows; use a batch that is a "
            "multiple of {}",
            contract.RowsOf(shape), topology.shards, contract.tensors[t].name,
            sharding.tiles()[0], topology.shards));
      }
      for (size_t i = 0; i < devices.size(); ++i) {
        cutter.Add(cuts[i], shape, t, sharding, devices[i]);
      }
    }
  }
  std::vector<std::shared_ptr<const SliceCuts>> shared;
  for (SliceCuts& cut : cuts) {
    shared.push_back(std::make_shared<const SliceCuts>(std::move(cut)));
  }
  return shared;
}

}  // namespace penstock
