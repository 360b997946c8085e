#include "infeed/device.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "infeed/devices/own_slice.h"

namespace penstock {

struct DeviceEvent::Told {
  std::mutex mutex;
  std::condition_variable_any happened;
  std::optional<StatusOr<int64_t>> at_ns;  // guarded by mutex
};

DeviceEvent DeviceEvent::At(int64_t at_ns) {
  DeviceEvent event;
  event.at_ns_ = at_ns;
  return event;
}

DeviceEvent DeviceEvent::Unset() {
  DeviceEvent event;
  event.told_ = std::make_shared<Told>();
  return event;
}

void DeviceEvent::Set(StatusOr<int64_t> at_ns) const {
  if (told_ == nullptr) return;
  // Who waits may destroy this event before the last line.
  const std::shared_ptr<Told> told = told_;
  {
    const std::lock_guard lock(told->mutex);
    if (told->at_ns) return;
    told->at_ns = std::move(at_ns);
  }
  told->happened.notify_all();
}

std::optional<int64_t> DeviceEvent::known_ns() const {
  return told_ == nullptr ? std::optional(at_ns_) : std::nullopt;
}

bool DeviceEvent::HasHappened(int64_t now_ns) const {
  if (told_ == nullptr) return at_ns_ <= now_ns;
  const std::lock_guard lock(told_->mutex);
  return told_->at_ns.has_value();
}

StatusOr<int64_t> DeviceEvent::Await(Clock& clock, std::stop_token stop) const {
  const Status cancelled =
      CancelledError("the wait for the device was cancelled");
  if (told_ == nullptr) {
    if (!clock.WaitUntil(at_ns_, std::move(stop))) return cancelled;
    return at_ns_;
  }
  std::unique_lock lock(told_->mutex);
  if (!told_->happened.wait(lock, std::move(stop),
                            [&] { return told_->at_ns.has_value(); })) {
    return cancelled;
  }
  return *told_->at_ns;
}

StatusOr<CoreSlice> DeviceBatch::ReadBack(const CoreSlice& of) {
  return OwnSlice(
      of, [&](size_t t, std::span<std::byte> out) { return Read(t, out); });
}

}  // namespace penstock
