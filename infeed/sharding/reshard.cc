#include "infeed/sharding/reshard.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

using Block = std::vector<IndexRange>;

uint64_t VolumeOf(const Block& block) {
  uint64_t volume = 1;
  for (const IndexRange& range : block) {
    volume *= static_cast<uint64_t>(std::max<int64_t>(range.size(), 0));
  }
  return volume;
}

Block Meet(const Block& a, const Block& b) {
  Block both(a.size());
  for (size_t d = 0; d < a.size(); ++d) {
    both[d].begin = std::max(a[d].begin, b[d].begin);
    both[d].end = std::max(both[d].begin, std::min(a[d].end, b[d].end));
  }
  return both;
}

Status CheckFits(const Sharding& sharding, uint32_t devices,
                 const std::vector<int64_t>& shape) {
  if (sharding.devices() != devices) {
    return InvalidArgumentError(
        fmt::format("shardings and hosts of {} and {} devices", devices,
                    sharding.devices()));
  }
  if (sharding.tiles().size() > shape.size()) {
    return InvalidArgumentError(
        fmt::format("a sharding of {} dimensions for the shape [{}]",
                    sharding.tiles().size(), fmt::join(shape, ", ")));
  }
  return OkStatus();
}

class Resharder {
 public:
  Resharder(const Sharding& from, const Sharding& to,
            const std::vector<int64_t>& shape, uint64_t element_bytes,
            const std::optional<DeviceHosts>& hosts)
      : from_(from),
        to_(to),
        shape_(shape),
        element_bytes_(element_bytes),
        hosts_(hosts),
        groups_(from.ReplicaGroups()),
        shard_(from.ShardShape(shape)),
        sent_(from.devices()),
        received_(from.devices()) {}

  ReshardPlan Plan() {
    for (uint32_t device = 0; device < to_.devices(); ++device) {
      if (to_.Holds(device)) Fill(device);
    }
    plan_.most_sent_bytes = *std::ranges::max_element(sent_);
    plan_.most_received_bytes = *std::ranges::max_element(received_);
    plan_.collective = CollectiveOf();
    return std::move(plan_);
  }

 private:
  // Moves to `device` what it needs and lacks.
  void Fill(uint32_t device) {
    const Block needed = to_.RangesOf(device, shape_);
    const bool had = from_.Holds(device);
    const Block own = had ? from_.RangesOf(device, shape_) : Block();
    const uint64_t needed_volume = VolumeOf(needed);
    const uint64_t kept = had ? VolumeOf(Meet(own, needed)) : 0;
    plan_.kept_bytes += kept * element_bytes_;
    // It cuts off some, or loses some that it had.
    if (had && (own != needed)) changed_ = true;
    if (had && kept < VolumeOf(own)) loses_ = true;
    if (needed_volume == 0 || kept == needed_volume) return;
    const size_t first = plan_.moves.size();
    ForEachTile(needed, [&](size_t group, const Block& tile) {
      if (had && tile == own) return;
      Receive(device, groups_[group], Meet(tile, needed));
    });
    const bool one_whole_shard =
        plan_.moves.size() == first + 1 && kept == 0 &&
        plan_.moves[first].block ==
            from_.RangesOf(plan_.moves[first].from, shape_);
    all_permuted_ = all_permuted_ && one_whole_shard;
  }

  void Receive(uint32_t device, const std::vector<uint32_t>& copies,
               Block block) {
    const uint64_t bytes = VolumeOf(block) * element_bytes_;
    if (bytes == 0) return;
    const uint32_t from = SourceOf(device, copies);
    sent_[from] += bytes;
    received_[device] += bytes;
    plan_.moved_bytes += bytes;
    if (hosts_ && hosts_->HostOf(from) != hosts_->HostOf(device)) {
      plan_.between_hosts_bytes += bytes;
    }
    plan_.moves.push_back({from, device, std::move(block), bytes});
  }

  // The one that has sent least so far, of the same host if there is one.
  uint32_t SourceOf(uint32_t device, const std::vector<uint32_t>& copies) {
    uint32_t best = copies[0];
    const auto cost = [&](uint32_t copy) {
      const bool far = hosts_ && hosts_->HostOf(copy) != hosts_->HostOf(device);
      return std::pair(far, sent_[copy]);
    };
    for (const uint32_t copy : copies) {
      if (cost(copy) < cost(best)) best = copy;
    }
    return best;
  }

  // Calls with every tile of `from` that meets `block`, in row-major order.
  template <typename Call>
  void ForEachTile(const Block& block, const Call& call) {
    const size_t rank = from_.tiles().size();
    std::vector<int64_t> first(rank);
    std::vector<int64_t> last(rank);
    for (size_t d = 0; d < rank; ++d) {
      first[d] = block[d].begin / shard_[d];
      last[d] = (block[d].end - 1) / shard_[d];
    }
    std::vector<int64_t> at = first;
    while (true) {
      size_t group = 0;
      for (size_t d = 0; d < rank; ++d) {
        group = group * static_cast<size_t>(from_.tiles()[d]) +
                static_cast<size_t>(at[d]);
      }
      call(group, from_.RangesOf(groups_[group][0], shape_));
      size_t d = rank;
      while (d > 0 && at[d - 1] == last[d - 1]) {
        at[d - 1] = first[d - 1];
        --d;
      }
      if (d == 0) return;
      ++at[d - 1];
    }
  }

  Collective CollectiveOf() const {
    if (plan_.moves.empty()) {
      return changed_ ? Collective::kSlice : Collective::kNothing;
    }
    if (to_.kind() == ShardingKind::kOneDevice &&
        from_.kind() != ShardingKind::kOneDevice) {
      return Collective::kGather;
    }
    if (all_permuted_) return Collective::kPermute;
    if (from_.kind() == ShardingKind::kOneDevice) return Collective::kScatter;
    return loses_ ? Collective::kAllToAll : Collective::kAllGather;
  }

  const Sharding& from_;
  const Sharding& to_;
  const std::vector<int64_t>& shape_;
  const uint64_t element_bytes_;
  const std::optional<DeviceHosts>& hosts_;
  const std::vector<std::vector<uint32_t>> groups_;
  const std::vector<int64_t> shard_;
  std::vector<uint64_t> sent_;      // [devices]
  std::vector<uint64_t> received_;  // [devices]
  ReshardPlan plan_;
  bool changed_ = false;  // some device holds another block than before
  bool loses_ = false;    // some device gives up what it had
  bool all_permuted_ = true;
};

}  // namespace

StatusOr<ReshardPlan> Reshard(const Sharding& from, const Sharding& to,
                              const std::vector<int64_t>& shape,
                              uint64_t element_bytes,
                              const std::optional<DeviceHosts>& hosts) {
  PENSTOCK_RETURN_IF_ERROR(CheckFits(from, from.devices(), shape));
  PENSTOCK_RETURN_IF_ERROR(CheckFits(to, from.devices(), shape));
  if (hosts && hosts->devices() != from.devices()) {
    return InvalidArgumentError(
        fmt::format("shardings and hosts of {} and {} devices", from.devices(),
                    hosts->devices()));
  }
  return Resharder(from, to, shape, element_bytes, hosts).Plan();
}

std::string_view CollectiveName(Collective collective) {
  switch (collective) {
    case Collective::kNothing:
      return "nothing";
    case Collective::kSlice:
      return "slice";
    case Collective::kAllGather:
      return "all-gather";
    case Collective::kAllToAll:
      return "all-to-all";
    case Collective::kPermute:
      return "collective-permute";
    case Collective::kScatter:
      return "scatter";
    case Collective::kGather:
      return "gather";
  }
  return "";
}

}  // namespace penstock
