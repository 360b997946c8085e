#include "infeed/devices/watchdog.h"

#include <algorithm>

#include "formats/files/start_thread.h"

namespace penstock {
namespace {

constexpr int kLooks = 4;  // within the limit

}  // namespace

StatusOr<Watchdog> Watchdog::Start(Clock& clock,
                                   std::function<uint64_t()> progress,
                                   std::function<void()> on_stall,
                                   WatchdogOptions options) {
  auto watch = StartThread([&clock, progress = std::move(progress),
                            on_stall = std::move(on_stall),
                            limit_ns = options.limit_ns](std::stop_token stop) {
    const int64_t look_ns = std::max<int64_t>(limit_ns / kLooks, 1);
    uint64_t seen = progress();
    int still = 0;  // looks since it changed
    // Looks are counted and not time: a process that stood still as a whole
    // must be given time to move once it goes on.
    while (clock.WaitUntil(clock.NowNs() + look_ns, stop)) {
      if (const uint64_t now = progress(); now != seen) {
        seen = now;
        still = 0;
      } else if (++still == kLooks) {
        on_stall();
        return;
      }
    }
  });
  if (!watch.ok()) return watch.status();
  return Watchdog(*std::move(watch));
}

}  // namespace penstock
