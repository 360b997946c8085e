// Devices of a PJRT plugin: a CPU, a GPU or a TPU, whatever it speaks for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/device.h"
#include "infeed/queues/clock.h"

namespace penstock {

struct PjrtOptions {
  // Which of PJRT's host buffer semantics transfers ask for: immutable only
  // during the call, until the transfer completes, or zero copy.
  HostMemory host_memory = HostMemory::kUntilTransferCompletes;
  // "NAME=VALUE" for the plugin's client: a whole number, true, false or words.
  // The CPU's knows cpu_device_count=8.
  std::vector<std::string> client_options = {};
  // Steps compare their sum with the host's, which costs a look at each token
  // before its transfer.
  bool check_steps = true;
  // The run's. Borrowed; null is SteadyClock().
  Clock* clock = nullptr;
};

struct PjrtDevices {
  std::string platform;     // "cpu"
  std::string description;  // "cpu, 4 devices, PJRT 0.81"
  // All that this process may use, as the plugin orders them.
  std::vector<std::unique_ptr<Device>> devices;
};

// Loads a plugin and makes a client of it. The plugin stays loaded until the
// process ends; the client goes with the last of its devices and batches.
//
// A step of these devices is a program of ours that they compile: the sum of
// the first integer tensor where it is real, which comes back as a number and
// is compared with the host's. A trainer runs its own.
//
// Threads: the plugin's own call us back.
// Errors:  kNotFound where no plugin is; kInvalidArgument for a file that is
//          none, or an option that is not NAME=VALUE; kFailedPrecondition for
//          one of another version; the plugin's own where it gives no client;
//          kUnimplemented where Penstock was built without it.
StatusOr<PjrtDevices> OpenPjrt(const std::string& plugin,
                               PjrtOptions options = {});

// Whether this build has it.
bool HasPjrt();

}  // namespace penstock
