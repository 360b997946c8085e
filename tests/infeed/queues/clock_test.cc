#include "infeed/queues/clock.h"

#include <gtest/gtest.h>

#include <thread>

namespace penstock {
namespace {

TEST(ClockTest, WaitEndsNotBeforeTheDeadline) {
  Clock& clock = SteadyClock();
  for (const int64_t wait_ns : {0, 1'000, 200'000, 2'000'000}) {
    const int64_t deadline_ns = clock.NowNs() + wait_ns;
    EXPECT_TRUE(clock.WaitUntil(deadline_ns, {}));
    EXPECT_GE(clock.NowNs(), deadline_ns);
  }
}

TEST(ClockTest, PastDeadlinesDoNotWait) {
  EXPECT_TRUE(SteadyClock().WaitUntil(0, {}));
}

TEST(ClockTest, StopEndsTheWait) {
  std::stop_source stop;
  std::jthread waiter([&] {
    EXPECT_FALSE(SteadyClock().WaitUntil(
        SteadyClock().NowNs() + int64_t{3600} * 1'000'000'000,
        stop.get_token()));
  });
  stop.request_stop();
}

}  // namespace
}  // namespace penstock
