#include "infeed/sharding/device_hosts.h"

#include <fmt/format.h>

#include "formats/files/status_or.h"

namespace penstock {

StatusOr<DeviceHosts> DeviceHosts::Blocks(uint32_t devices, uint32_t hosts) {
  if (hosts == 0) {
    return InvalidArgumentError("a batch needs at least one host");
  }
  std::vector<uint32_t> host_of_device;
  for (uint32_t host = 0; host < hosts; ++host) {
    const uint32_t more = host < devices % hosts ? 1 : 0;
    host_of_device.insert(host_of_device.end(), devices / hosts + more, host);
  }
  return Create(std::move(host_of_device), hosts);
}

StatusOr<DeviceHosts> DeviceHosts::Create(std::vector<uint32_t> host_of_device,
                                          uint32_t hosts) {
  if (host_of_device.empty()) {
    return InvalidArgumentError("hosts need at least one device");
  }
  for (size_t device = 0; device < host_of_device.size(); ++device) {
    if (host_of_device[device] < hosts) continue;
    return InvalidArgumentError(
        fmt::format("device {} is on host {}, but the {} hosts count from 0",
                    device, host_of_device[device], hosts));
  }
  return DeviceHosts(std::move(host_of_device), hosts);
}

StatusOr<DeviceHosts> DeviceHosts::Of(uint32_t devices, uint32_t hosts,
                                      std::vector<uint32_t> host_of_device) {
  if (host_of_device.empty()) return Blocks(devices, hosts);
  return Create(std::move(host_of_device), hosts);
}

std::vector<uint32_t> DeviceHosts::DevicesOf(uint32_t host) const {
  std::vector<uint32_t> devices;
  for (uint32_t device = 0; device < host_of_device_.size(); ++device) {
    if (host_of_device_[device] == host) devices.push_back(device);
  }
  return devices;
}

}  // namespace penstock
