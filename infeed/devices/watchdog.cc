#include "infeed/devices/watchdog.h"

#include <algorithm>

#include "formats/files/start_thread.h"

namespace penstock {

StatusOr<Watchdog> Watchdog::Start(Clock& clock,
                                   std::function<uint64_t()> progress,
                                   std::function<void()> on_stall,
                                   WatchdogOptions options) {
  auto watch = StartThread([&clock, progress = std::move(progress),
                            on_stall = std::move(on_stall),
                            limit_ns = options.limit_ns](std::stop_token stop) {
    const int64_t look_ns = std::max<int64_t>(limit_ns / 4, 1);
    uint64_t seen = progress();
    int64_t seen_ns = clock.NowNs();
    int64_t next_ns = seen_ns + look_ns;
    while (clock.WaitUntil(next_ns, stop)) {
      next_ns += look_ns;
      const int64_t now_ns = clock.NowNs();
      if (const uint64_t now = progress(); now != seen) {
        seen = now;
        seen_ns = now_ns;
      } else if (now_ns - seen_ns >= limit_ns) {
        on_stall();
        return;
      }
    }
  });
  if (!watch.ok()) return watch.status();
  return Watchdog(*std::move(watch));
}

}  // namespace penstock
