#include "infeed/devices/watchdog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "tests/infeed/queues/fake_clock.h"
#include "tests/support/scarce_threads.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::FakeClock;
using ::penstock::testing::StatusIs;
using ::testing::HasSubstr;

TEST(WatchdogTest, BarksOnceWhenNothingMovesForTheLimit) {
  FakeClock clock;
  std::atomic<int> barks = 0;
  std::latch barked(1);
  ASSERT_OK_AND_ASSIGN(const Watchdog watchdog,
                       Watchdog::Start(
                           clock, [] { return uint64_t{5}; },
                           [&] {
                             ++barks;
                             barked.count_down();
                           },
                           {.limit_ns = 400}));
  for (int quarter = 0; quarter < 4; ++quarter) {
    clock.AwaitWaiters(1);
    EXPECT_EQ(barks, 0);
    clock.Advance(100);
  }
  barked.wait();
  clock.Advance(4000);
  EXPECT_EQ(barks, 1);
}

TEST(WatchdogTest, AStepStartsTheLimitAnew) {
  FakeClock clock;
  std::atomic<uint64_t> steps = 0;
  std::atomic<int> barks = 0;
  ASSERT_OK_AND_ASSIGN(const Watchdog watchdog,
                       Watchdog::Start(
                           clock, [&] { return steps.load(); },
                           [&] { ++barks; }, {.limit_ns = 400}));
  for (int look = 0; look < 20; ++look) {
    clock.AwaitWaiters(1);
    if (look % 3 == 0) ++steps;
    clock.Advance(100);
  }
  clock.AwaitWaiters(1);
  EXPECT_EQ(barks, 0);
}

TEST(WatchdogTest, AProcessThatWasStoppedIsGivenTimeToGoOn) {
  FakeClock clock;
  std::atomic<int> looks = 0;
  std::atomic<int> barks = 0;
  {
    ASSERT_OK_AND_ASSIGN(const Watchdog watchdog,
                         Watchdog::Start(
                             clock,
                             [&] {
                               ++looks;
                               return uint64_t{5};
                             },
                             [&] { ++barks; }, {.limit_ns = 400}));
    clock.AwaitWaiters(1);
    clock.Advance(4000);
    while (looks < 2) std::this_thread::yield();
  }
  EXPECT_EQ(barks, 0);
}

TEST(WatchdogTest, GoesAwayAtOnce) {
  FakeClock clock;
  ASSERT_OK_AND_ASSIGN(const Watchdog watchdog,
                       Watchdog::Start(
                           clock, [] { return uint64_t{0}; }, [] {}));
  clock.AwaitWaiters(1);
}

TEST(WatchdogTest, WithoutAThreadThereIsAStatus) {
  FakeClock clock;
  const testing::ScarceThreads none(0);
  const auto watchdog = Watchdog::Start(
      clock, [] { return uint64_t{0}; }, [] {});
  EXPECT_THAT(watchdog, StatusIs(StatusCode::kResourceExhausted,
                                 HasSubstr("no thread can be started")));
}

}  // namespace
}  // namespace penstock
