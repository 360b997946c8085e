#include "infeed/training/run_placement.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "infeed/sharding/device_hosts.h"

namespace penstock {
namespace {

Status CheckSources(std::span<const std::unique_ptr<BatchSource>> sources,
                    const Group* group) {
  if (sources.empty()) {
    return InvalidArgumentError("a run needs at least one host");
  }
  const size_t hosts = group == nullptr ? sources.size() : group->hosts();
  for (size_t i = 0; i < sources.size(); ++i) {
    const size_t host = group == nullptr ? i : group->host();
    const Topology& topology = sources[i]->topology();
    if (topology.hosts != hosts || topology.host != host) {
      return InvalidArgumentError(
          fmt::format("source {} of {} was made for host {} of {}", host, hosts,
                      topology.host, topology.hosts));
    }
    if (sources[i]->contract().Fingerprint() !=
        sources[0]->contract().Fingerprint()) {
      return InvalidArgumentError(
          fmt::format("hosts 0 and {} have different contracts:\n{}\nand\n{}",
                      i, sources[0]->contract().Describe(),
                      sources[i]->contract().Describe()));
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<BatchPlacement> PlaceRun(
    std::span<const std::unique_ptr<BatchSource>> sources, const Mesh& mesh,
    const TrainingOptions& options) {
  const auto number = options.group == nullptr
                          ? static_cast<uint32_t>(sources.size())
                          : options.group->hosts();
  PENSTOCK_RETURN_IF_ERROR(CheckSources(sources, options.group));
  PENSTOCK_ASSIGN_OR_RETURN(
      const DeviceHosts hosts,
      DeviceHosts::Of(mesh.size(), number, options.host_of_device));
  PENSTOCK_ASSIGN_OR_RETURN(
      BatchPlacement placement,
      PlaceBatch(mesh, options.axis, hosts, options.shardings));
  const size_t here = options.group == nullptr
                          ? mesh.size()
                          : placement.DevicesOf(options.group->host()).size();
  if (!options.devices.empty() && options.devices.size() < here) {
    return InvalidArgumentError(fmt::format(
        "this process has {} devices in {}, but only {} are there: make the "
        "mesh smaller",
        here, mesh.Describe(), options.devices.size()));
  }
  if (options.group != nullptr) {
    for (uint32_t host = 0; host < number; ++host) {
      if (!placement.DevicesOf(host).empty()) continue;
      return InvalidArgumentError(fmt::format(
          "host {} of {} has no device in {}: where hosts are processes each "
          "needs one",
          host, number, mesh.Describe()));
    }
  }
  return placement;
}

}  // namespace penstock
