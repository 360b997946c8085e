#include "infeed/sharding/load_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "formats/files/status_or.h"
#include "infeed/sharding/sharding_text.h"

namespace penstock {
namespace {

using Ranges = std::vector<IndexRange>;

uint64_t Elements(const std::vector<int64_t>& shape) {
  uint64_t elements = 1;
  for (const int64_t size : shape) elements *= static_cast<uint64_t>(size);
  return elements;
}

uint64_t Elements(const Ranges& block) {
  uint64_t elements = 1;
  for (const IndexRange& range : block) {
    elements *= static_cast<uint64_t>(range.size());
  }
  return elements;
}

int64_t Sum(const Ranges& ranges) {
  int64_t sum = 0;
  for (const IndexRange& range : ranges) sum += range.size();
  return sum;
}

// Rising; those that touch are one.
Ranges Coalesce(Ranges ranges) {
  std::ranges::sort(ranges, {}, &IndexRange::begin);
  Ranges merged;
  for (const IndexRange& range : ranges) {
    if (range.size() == 0) continue;
    if (!merged.empty() && range.begin <= merged.back().end) {
      merged.back().end = std::max(merged.back().end, range.end);
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

// Where `range` begins once only `loaded` is there.
IndexRange Within(const Ranges& loaded, IndexRange range) {
  int64_t before = 0;
  for (const IndexRange& part : loaded) {
    if (part.begin <= range.begin && range.begin < part.end) {
      before += range.begin - part.begin;
      break;
    }
    before += part.size();
  }
  return {before, before + range.size()};
}

SliceForm FormOf(const DeviceSlice& slice, const Ranges& ranges,
                 const std::vector<int64_t>& shard) {
  if (slice.layout.runs == 0) return SliceForm::kNothing;
  for (size_t d = 0; d < shard.size(); ++d) {
    if (ranges[d].size() != shard[d]) return SliceForm::kPaddedCopy;
  }
  return slice.layout.dense() ? SliceForm::kView : SliceForm::kStridedView;
}

using Starts = std::vector<int64_t>;

Starts StartsOf(const Ranges& ranges) {
  Starts starts;
  for (const IndexRange& range : ranges) starts.push_back(range.begin);
  return starts;
}

HostTensor LoadTensor(const ShardedTensor& tensor,
                      const std::vector<uint32_t>& devices) {
  HostTensor load;
  const size_t rank = tensor.shape.size();
  load.ranges.resize(rank);
  std::map<Starts, uint64_t> needed;  // different blocks and their elements
  for (const uint32_t device : devices) {
    if (!tensor.sharding.Holds(device)) continue;
    DeviceSlice slice{.device = device,
                      .ranges = tensor.sharding.RangesOf(device, tensor.shape),
                      .replica = tensor.sharding.ReplicaOf(device)};
    const uint64_t elements = Elements(slice.ranges);
    if (elements > 0) {
      needed[StartsOf(slice.ranges)] = elements;
      for (size_t d = 0; d < rank; ++d) {
        load.ranges[d].push_back(slice.ranges[d]);
      }
    }
    load.devices.push_back(std::move(slice));
  }
  std::vector<int64_t> loaded;
  for (Ranges& ranges : load.ranges) {
    ranges = Coalesce(std::move(ranges));
    loaded.push_back(Sum(ranges));
  }
  uint64_t wanted = 0;
  for (const auto& [starts, elements] : needed) wanted += elements;
  load.product = needed.empty() || wanted == Elements(loaded);
  load.loaded_bytes =
      needed.empty() ? 0 : Elements(loaded) * tensor.element_bytes;

  const std::vector<int64_t> shard = tensor.sharding.ShardShape(tensor.shape);
  const uint64_t shard_bytes = Elements(shard) * tensor.element_bytes;
  std::set<Starts> packed;
  for (DeviceSlice& slice : load.devices) {
    Ranges block(rank);
    if (Elements(slice.ranges) > 0) {
      for (size_t d = 0; d < rank; ++d) {
        block[d] = Within(load.ranges[d], slice.ranges[d]);
      }
    }
    slice.layout = LayoutOf(loaded, block, tensor.element_bytes);
    slice.form = FormOf(slice, slice.ranges, shard);
    load.transfer_bytes += shard_bytes;
    if (slice.form != SliceForm::kView &&
        packed.insert(StartsOf(slice.ranges)).second) {
      load.packed_bytes += shard_bytes;
    }
  }
  return load;
}

std::vector<std::vector<uint32_t>> ReplicaHosts(const LoadPlan& plan,
                                                size_t tensor) {
  std::map<std::vector<Starts>, std::vector<uint32_t>> of_part;
  for (const HostLoad& host : plan.hosts) {
    const HostTensor& load = host.tensors[tensor];
    if (load.loaded_bytes == 0) continue;
    std::vector<Starts> part;
    for (const Ranges& ranges : load.ranges) part.push_back(StartsOf(ranges));
    // Equal starts with other ends are of the last, shorter shards, whose
    // starts differ somewhere; sizes tell the rest.
    part.push_back({static_cast<int64_t>(load.loaded_bytes)});
    of_part[part].push_back(host.host);
  }
  std::vector<std::vector<uint32_t>> groups;
  for (const auto& [part, hosts] : of_part) {
    if (hosts.size() > 1) groups.push_back(hosts);
  }
  std::ranges::sort(groups);
  return groups;
}

void Warn(LoadPlan& plan, size_t t, uint32_t hosts) {
  const ShardedTensor& tensor = plan.tensors[t];
  const uint64_t bytes = Elements(tensor.shape) * tensor.element_bytes;
  uint64_t loaded = 0;
  for (const HostLoad& host : plan.hosts) {
    const HostTensor& load = host.tensors[t];
    loaded += load.loaded_bytes;
    if (!load.product) {
      plan.warnings.push_back(fmt::format(
          "host {} loads more of {} than its devices take: their shards are "
          "no block of its rows and columns; give the host devices that are "
          "neighbours in the mesh",
          host.host, tensor.name));
    }
  }
  if (hosts > 1 && loaded >= hosts * bytes && bytes > 0) {
    plan.warnings.push_back(fmt::format(
        "each of {} hosts loads all of {} ({} bytes): its rows are cut over "
        "no axis that crosses hosts",
        hosts, tensor.name, bytes));
  }
  if (!tensor.sharding.SplitsEvenly(tensor.shape)) {
    plan.warnings.push_back(fmt::format(
        "{} [{}] is padded to [{}]: shards of [{}] on every device; mask what "
        "is added",
        tensor.name, fmt::join(tensor.shape, ", "),
        fmt::join(tensor.sharding.PaddedShape(tensor.shape), ", "),
        fmt::join(tensor.sharding.ShardShape(tensor.shape), ", ")));
  }
}

}  // namespace

StatusOr<LoadPlan> PlanLoads(std::vector<ShardedTensor> tensors,
                             const DeviceHosts& hosts) {
  for (const ShardedTensor& tensor : tensors) {
    if (tensor.sharding.devices() != hosts.devices()) {
      return InvalidArgumentError(fmt::format(
          "the sharding of {} is of {} devices, but the hosts have {}",
          tensor.name, tensor.sharding.devices(), hosts.devices()));
    }
    if (tensor.sharding.tiles().size() > tensor.shape.size()) {
      return InvalidArgumentError(fmt::format(
          "the sharding of {} is of {} dimensions, but its shape is [{}]",
          tensor.name, tensor.sharding.tiles().size(),
          fmt::join(tensor.shape, ", ")));
    }
  }
  LoadPlan plan{.tensors = std::move(tensors)};
  for (uint32_t h = 0; h < hosts.hosts(); ++h) {
    HostLoad host{.host = h};
    const std::vector<uint32_t> devices = hosts.DevicesOf(h);
    for (const ShardedTensor& tensor : plan.tensors) {
      host.tensors.push_back(LoadTensor(tensor, devices));
    }
    plan.hosts.push_back(std::move(host));
  }
  for (size_t t = 0; t < plan.tensors.size(); ++t) {
    plan.replica_hosts.push_back(ReplicaHosts(plan, t));
    Warn(plan, t, hosts.hosts());
  }
  return plan;
}

std::string_view SliceFormName(SliceForm form) {
  switch (form) {
    case SliceForm::kNothing:
      return "padding alone";
    case SliceForm::kView:
      return "view";
    case SliceForm::kStridedView:
      return "strided view";
    case SliceForm::kPaddedCopy:
      return "padded copy";
  }
  return "";
}

}  // namespace penstock
