#include "tools/infeedsim/device_arguments.h"

#include <string_view>

namespace penstock {
namespace {

constexpr std::string_view kPjrt = "pjrt:";

bool IsPlugin(std::string_view text) {
  return text.starts_with(kPjrt) && text.size() > kPjrt.size();
}

}  // namespace

void DeviceArguments::AddTo(ArgumentGroup& group) {
  group
      .Option("--device", device, "pjrt:PATH",
              "Feeds the devices of this PJRT plugin instead of simulated "
              "ones, reads every batch back, and takes steps that sum tokens; "
              "tools/setup --pjrt fetches the CPU's")
      .MustBe("pjrt: and the path of a plugin", IsPlugin)
      .Excludes({"--step-time", "--step-ns-per-token", "--compile-time",
                 "--link", "--clock"})
      .DefaultsTo("simulated");
  group
      .Choice("--host-memory", host_memory,
              {{"call", HostMemory::kUntilCallReturns},
               {"transfer", HostMemory::kUntilTransferCompletes},
               {"zero-copy", HostMemory::kUntilBufferFreed}},
              "How long --device may read a batch's memory: until it was "
              "asked, until the transfer completes, or as long as it has the "
              "batch, in place where it can")
      .Needs("--device");
  group
      .Option("--device-option", options, "NAME=VALUE",
              "Told to the plugin's client, such as cpu_device_count=8")
      .Needs("--device");
}

StatusOr<PjrtDevices> DeviceArguments::Open(
    SimulationOptions& simulation) const {
  if (device.empty()) return PjrtDevices();
  PENSTOCK_ASSIGN_OR_RETURN(
      PjrtDevices opened,
      OpenPjrt(device.substr(kPjrt.size()),
               {.host_memory = host_memory, .client_options = options}));
  for (const auto& one : opened.devices) {
    simulation.devices.push_back(one.get());
  }
  simulation.device_kind = "PJRT " + opened.platform;
  return opened;
}

}  // namespace penstock
