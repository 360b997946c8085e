#include "infeed/sharding/load_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "infeed/sharding/hlo_text.h"
#include "infeed/sharding/sharding_text.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostHostsShown = 8;
constexpr size_t kMostDevicesShown = 16;

uint64_t BytesOf(const std::vector<int64_t>& shape, uint64_t element_bytes) {
  uint64_t bytes = element_bytes;
  for (const int64_t size : shape) bytes *= static_cast<uint64_t>(size);
  return bytes;
}

// "[0,4) x [0,128)"
std::string BlockText(const std::vector<IndexRange>& block) {
  std::vector<std::string> parts;
  for (const IndexRange& range : block) {
    parts.push_back(fmt::format("[{},{})", range.begin, range.end));
  }
  return fmt::format("{}", fmt::join(parts, " x "));
}

std::string LoadedText(const HostTensor& load) {
  std::vector<std::string> parts;
  for (const auto& ranges : load.ranges) parts.push_back(RangesText(ranges));
  return fmt::format("{}", fmt::join(parts, " x "));
}

std::string SliceText(const DeviceSlice& slice) {
  std::string text =
      fmt::format("    device {}: {}, {}", slice.device,
                  BlockText(slice.ranges), SliceFormName(slice.form));
  if (!slice.layout.dense()) {
    text += fmt::format(" of {} runs of {} bytes", slice.layout.runs,
                        slice.layout.run_bytes);
  }
  if (slice.replica > 0) text += fmt::format(", copy {}", slice.replica);
  return text + "\n";
}

std::string HostText(uint32_t host, const HostTensor& load) {
  if (load.devices.empty()) return fmt::format("  host {}: nothing\n", host);
  std::string text =
      fmt::format("  host {} loads {}: {} bytes once, hands out {}", host,
                  LoadedText(load), load.loaded_bytes, load.transfer_bytes);
  if (load.packed_bytes > 0) {
    text += fmt::format(", copies {} where strides cannot be taken",
                        load.packed_bytes);
  }
  text += "\n";
  const size_t shown = std::min(load.devices.size(), kMostDevicesShown);
  for (size_t i = 0; i < shown; ++i) text += SliceText(load.devices[i]);
  if (shown < load.devices.size()) {
    text +=
        fmt::format("    and {} more devices\n", load.devices.size() - shown);
  }
  return text;
}

Json RangesJson(const std::vector<IndexRange>& ranges) {
  Json json = Json::array();
  for (const IndexRange& range : ranges) {
    json.push_back({range.begin, range.end});
  }
  return json;
}

Json HostJson(uint32_t host, const HostTensor& load) {
  Json json = {{"host", host},
               {"loaded_bytes", load.loaded_bytes},
               {"transfer_bytes", load.transfer_bytes},
               {"packed_bytes", load.packed_bytes},
               {"exact", load.product}};
  json["loads"] = Json::array();
  for (const auto& ranges : load.ranges) {
    json["loads"].push_back(RangesJson(ranges));
  }
  json["devices"] = Json::array();
  for (const DeviceSlice& slice : load.devices) {
    json["devices"].push_back({{"device", slice.device},
                               {"slice", RangesJson(slice.ranges)},
                               {"replica", slice.replica},
                               {"form", SliceFormName(slice.form)},
                               {"runs", slice.layout.runs},
                               {"run_bytes", slice.layout.run_bytes}});
  }
  return json;
}

}  // namespace

std::string ExplainLoads(const LoadPlan& plan) {
  std::string text;
  for (size_t t = 0; t < plan.tensors.size(); ++t) {
    const ShardedTensor& tensor = plan.tensors[t];
    const std::vector<int64_t> shard = tensor.sharding.ShardShape(tensor.shape);
    text += fmt::format(
        "{} [{}] as {} {}: shards of [{}], {} bytes; each on {} of {} "
        "devices\n",
        tensor.name, fmt::join(tensor.shape, ", "),
        tensor.spec.empty() ? "given" : tensor.spec,
        HloIotaText(tensor.sharding), fmt::join(shard, ", "),
        BytesOf(shard, tensor.element_bytes), tensor.sharding.replicas(),
        tensor.sharding.devices());
    const size_t shown = std::min(plan.hosts.size(), kMostHostsShown);
    for (size_t h = 0; h < shown; ++h) {
      text += HostText(plan.hosts[h].host, plan.hosts[h].tensors[t]);
    }
    if (shown < plan.hosts.size()) {
      text += fmt::format("  and {} more hosts\n", plan.hosts.size() - shown);
    }
    for (const std::vector<uint32_t>& hosts : plan.replica_hosts[t]) {
      text += hosts.size() <= kMostHostsShown
                  ? fmt::format("  hosts {} load the same bytes\n",
                                fmt::join(hosts, ", "))
                  : fmt::format("  {} hosts from {} on load the same bytes\n",
                                hosts.size(), hosts.front());
    }
  }
  for (const std::string& warning : plan.warnings) {
    text += "warning: " + warning + "\n";
  }
  return text;
}

std::string LoadsJson(const LoadPlan& plan) {
  Json json = {{"tensors", Json::array()}, {"warnings", plan.warnings}};
  for (size_t t = 0; t < plan.tensors.size(); ++t) {
    const ShardedTensor& tensor = plan.tensors[t];
    Json tensor_json = {
        {"name", tensor.name},
        {"shape", tensor.shape},
        {"spec", tensor.spec},
        {"hlo", HloIotaText(tensor.sharding)},
        {"shard_shape", tensor.sharding.ShardShape(tensor.shape)},
        {"padded_shape", tensor.sharding.PaddedShape(tensor.shape)},
        {"replicas", tensor.sharding.replicas()},
        {"replica_hosts", plan.replica_hosts[t]}};
    for (const HostLoad& host : plan.hosts) {
      tensor_json["hosts"].push_back(HostJson(host.host, host.tensors[t]));
    }
    json["tensors"].push_back(std::move(tensor_json));
  }
  return json.dump();
}

}  // namespace penstock
