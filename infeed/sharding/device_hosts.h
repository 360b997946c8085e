// Which host has which device.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"

namespace penstock {

// An explicit map; the devices of a host need not be neighbours in the mesh,
// nor their ids. An immutable value.
class DeviceHosts {
 public:
  // Blocks of ids as even as possible, larger ones first: 8 devices on 3 hosts
  // are 3, 3 and 2. Hosts beyond the devices have none.
  // Errors:  kInvalidArgument for no hosts.
  static StatusOr<DeviceHosts> Blocks(uint32_t devices, uint32_t hosts);
  // Errors:  kInvalidArgument for no devices and a host beyond `hosts`.
  static StatusOr<DeviceHosts> Create(std::vector<uint32_t> host_of_device,
                                      uint32_t hosts);

  // Of a given map; of blocks where it is empty.
  static StatusOr<DeviceHosts> Of(uint32_t devices, uint32_t hosts,
                                  std::vector<uint32_t> host_of_device);

  uint32_t hosts() const { return hosts_; }
  uint32_t devices() const {
    return static_cast<uint32_t>(host_of_device_.size());
  }
  uint32_t HostOf(uint32_t device) const { return host_of_device_[device]; }
  const std::vector<uint32_t>& host_of_device() const {
    return host_of_device_;
  }
  // Rising.
  std::vector<uint32_t> DevicesOf(uint32_t host) const;

 private:
  DeviceHosts(std::vector<uint32_t> host_of_device, uint32_t hosts)
      : host_of_device_(std::move(host_of_device)), hosts_(hosts) {}

  std::vector<uint32_t> host_of_device_;
  uint32_t hosts_;
};

}  // namespace penstock
