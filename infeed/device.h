// What the infeed and the training loop ask of an accelerator core.
//
// Implementations form a star around this header: simulated ones, of which all
// times are known in advance (devices/simulated_device.h), and those of a PJRT
// plugin, which say when something has happened (pjrt/pjrt_devices.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>

#include "formats/files/status_or.h"
#include "infeed/queues/clock.h"
#include "infeed/sharding/core_slice.h"

namespace penstock {

// How long the host's bytes stay as they are once a transfer is asked for
// (PJRT's host buffer semantics). The device holds its copy of the slice for so
// long, on cancel and error too, and no longer: DeviceBatch::host_free() is
// when it has let go. They then go back to the pool that batches are built in,
// if nobody else holds a slice of the batch.
enum class HostMemory {
  kUntilCallReturns,        // the device copies before Transfer() returns
  kUntilTransferCompletes,  // the device reads them until the transfer ends
  kUntilBufferFreed,        // the device may never copy and use them in place
};

// Something that happens on a device: at a time that is known in advance, or
// when the device says so. Copies are the same event.
//
// Threads: any number at a time.
class DeviceEvent {
 public:
  // Happens at `at_ns` of the run's clock, which may lie ahead.
  static DeviceEvent At(int64_t at_ns);
  // Happens when Set() is called on it or a copy.
  static DeviceEvent Unset();

  // It has happened at this time, or failed. The first call counts; none does
  // where the time is known in advance.
  void Set(StatusOr<int64_t> at_ns) const;
  // When it happens, where that is known in advance.
  std::optional<int64_t> known_ns() const;
  // Whether it has happened, or failed, at `now_ns`.
  bool HasHappened(int64_t now_ns) const;
  // Waits until it has happened; gives when.
  // Errors:  what the device says; kCancelled where `stop` was requested first.
  StatusOr<int64_t> Await(Clock& clock, std::stop_token stop = {}) const;

 private:
  struct Told;

  int64_t at_ns_ = 0;
  std::shared_ptr<Told> told_;  // null where the time is known in advance
};

// A slice on a device, or on its way. The device's memory goes with it, which
// never waits. It may outlive the Device, but then only be destroyed.
//
// Threads: one at a time; the events from any.
class DeviceBatch {
 public:
  virtual ~DeviceBatch() = default;
  DeviceBatch(const DeviceBatch&) = delete;
  DeviceBatch& operator=(const DeviceBatch&) = delete;

  // The device has let go of the host's bytes; see HostMemory.
  const DeviceEvent& host_free() const { return host_free_; }
  // All of it is on the device, or never will be.
  const DeviceEvent& ready() const { return ready_; }

  // Brings tensor `t` back, packed (TensorView::packed_bytes()); waits for it.
  virtual Status Read(size_t t, std::span<std::byte> out) = 0;
  // Brings all of it back; `of` is what was transferred, with its bytes or
  // without.
  // Errors:  the device's; kUnimplemented where tensors are cut otherwise than
  //          by rows.
  virtual StatusOr<CoreSlice> ReadBack(const CoreSlice& of);

 protected:
  DeviceBatch(DeviceEvent host_free, DeviceEvent ready)
      : host_free_(std::move(host_free)), ready_(std::move(ready)) {}

 private:
  const DeviceEvent host_free_;
  const DeviceEvent ready_;
};

// One core. Calls start work and return; events say when it is done.
//
// Threads: Transfer() from one, the others from one other.
class Device {
 public:
  // Waits until nothing is under way.
  virtual ~Device() = default;

  virtual HostMemory host_memory() const = 0;
  // Brings a slice over, not before `now_ns` and after earlier transfers.
  // Errors:  of what shows at once; the rest comes with ready().
  virtual StatusOr<std::shared_ptr<DeviceBatch>> Transfer(CoreSlice slice,
                                                          int64_t now_ns) = 0;
  // Makes the program for slices of this shape where there is none, and gives
  // how many nanoseconds that takes. All devices of a run wait for the slowest.
  virtual StatusOr<int64_t> Compile(const CoreSlice& slice) = 0;
  // One step, not before `now_ns`, on a batch of this device that is ready. Of
  // one that goes earlier the device keeps what it needs until the step is
  // done.
  virtual StatusOr<DeviceEvent> Execute(DeviceBatch& batch, int64_t now_ns) = 0;

  // Gives up what is under way, as far as it can. Never blocks; from any
  // thread.
  virtual void Cancel() {}
  // Waits until everything that was asked for has happened or failed; while
  // nothing else is called. The device may then be used again.
  virtual void Drain() {}
};

}  // namespace penstock
