// What the infeed and the training loop ask of an accelerator core.
//
// Implementations form a star around this header; today there is one, which is
// simulated.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/files/status_or.h"
#include "infeed/sharding/core_slice.h"

namespace penstock {

// How long the host's bytes must stay as they are once a transfer is asked for
// (PJRT's host buffer semantics). The infeed keeps them until the device takes
// the batch out of its queue, or is drained, which is enough for the first two.
enum class HostMemory {
  kUntilCallReturns,        // the device copies before Transfer() returns
  kUntilTransferCompletes,  // the device reads them until the transfer ends
  kUntilBufferFreed,        // the device never copies and uses them in place
};

// When a piece of work begins and ends on the run's clock; may lie ahead.
struct Work {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;

  bool operator==(const Work&) const = default;
};

// One core. Calls start work and return at once with the time it takes; the
// caller waits.
//
// Threads: Transfer() from one, the others from one other.
class Device {
 public:
  virtual ~Device() = default;

  virtual HostMemory host_memory() const = 0;
  // Brings a slice over, not before `now_ns` and after earlier transfers.
  virtual StatusOr<Work> Transfer(const CoreSlice& slice, int64_t now_ns) = 0;
  // How long making the program for a slice of this shape takes. All devices
  // of a run wait for the slowest.
  virtual int64_t CompileNs(const CoreSlice& slice) const = 0;
  // One step on a slice that is on the device.
  virtual StatusOr<Work> Execute(const CoreSlice& slice, int64_t now_ns) = 0;

  // Gives up what is under way, as far as it can. Never blocks; from any
  // thread.
  virtual void Cancel() {}
  // Waits until no transfer that was asked for reads host memory any more. Once
  // nothing else is called.
  virtual void Drain() {}
};

}  // namespace penstock
