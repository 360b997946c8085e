#include "infeed/devices/outfeed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "infeed/training/training_run.h"
#include "infeed/virtual/virtual_run.h"
#include "tests/infeed/made_batches.h"
#include "tests/infeed/queues/fake_clock.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::FakeClock;
using ::penstock::testing::MadeBatches;
using ::penstock::testing::MadeForHosts;
using ::penstock::testing::StatusIs;
using ::testing::HasSubstr;

constexpr int64_t kOutfeedMs = 1'000'000;

// A thread takes 10 of time for each: of two places the third waits for the
// first.
TEST(OutfeedTest, ADeviceWaitsForAPlaceInItsQueue) {
  FakeClock clock;
  std::jthread time(
      [&](std::stop_token stop) { clock.FollowDeadlines(1, stop); });
  ASSERT_OK_AND_ASSIGN(const auto outfeed,
                       Outfeed::Start(1, {.every = 1, .drain_ns = 10}, clock));
  const int64_t from_ns = clock.NowNs();
  for (const int64_t want : {0, 1, 10, 20, 30}) {
    ASSERT_OK_AND_ASSIGN(
        const int64_t free_ns,
        outfeed->Send(0, from_ns + std::min<int64_t>(want, 1), {}));
    EXPECT_EQ(free_ns - from_ns, want);
  }
}

TEST(OutfeedTest, OnlyCancelEndsTheWaitForAHostThatTakesNothing) {
  FakeClock clock;  // stands still
  ASSERT_OK_AND_ASSIGN(const auto outfeed,
                       Outfeed::Start(1, {.every = 1, .drain_ns = 10}, clock));
  const int64_t now_ns = clock.NowNs();
  ASSERT_OK(outfeed->Send(0, now_ns, {}).status());
  ASSERT_OK(outfeed->Send(0, now_ns, {}).status());
  std::stop_source stop;
  std::jthread waits([&] {
    EXPECT_THAT(outfeed->Send(0, now_ns, stop.get_token()),
                StatusIs(StatusCode::kCancelled, HasSubstr("outfeed")));
  });
  stop.request_stop();
}

// tensorflow/tensor2tensor issue 1205: devices spend 69 % of their time to give
// away what they have to tell. Eight cores of a host, that takes one at a time.
VirtualReport RunOutfeed(double drain_ms, uint64_t every, size_t depth) {
  const VirtualStep step = {.step_ns = 10 * kOutfeedMs};
  return RunVirtual({&step, 1}, 1000,
                    {.host_of_core = std::vector<uint32_t>(8),
                     .outfeed = {.every = every,
                                 .depth = depth,
                                 .drain_ns = static_cast<int64_t>(drain_ms *
                                                                  kOutfeedMs)}})
      .value();
}

TEST(OutfeedTest, AHostThatIsSlowToTakeBoundsTheRunAsPublished) {
  // 8 x 4.03 ms a step is 32.26 ms, of which steps are 10.
  const VirtualReport slow = RunOutfeed(32.26 / 8, 1, 2);
  EXPECT_NEAR(slow.times.outfeed_percent, 69, 0.5);
  EXPECT_EQ(slow.bound(), VirtualStage::kOutfeed);
  EXPECT_THAT(VirtualReportText(slow), HasSubstr("HIGHLY outfeed bound: 6"));
  EXPECT_THAT(VirtualReportText(slow), HasSubstr("bound by the outfeed"));
  int64_t sum_ns = 0;
  for (size_t b = 0; b < kBuckets; ++b) {
    sum_ns += slow.cores[0].ledger.ns(static_cast<Bucket>(b));
  }
  EXPECT_EQ(sum_ns, slow.wall_ns);
  EXPECT_GT(slow.cores[7].ledger.ns(Bucket::kOutfeedWait), 0);
  // Told less often, or taken faster, it is no matter; a deeper queue is no
  // help.
  EXPECT_EQ(RunOutfeed(32.26 / 8, 10, 2).bound(), VirtualStage::kDevice);
  EXPECT_EQ(RunOutfeed(10.0 / 8, 1, 2).times.outfeed_percent, 0);
  EXPECT_EQ(RunOutfeed(32.26 / 8, 1, 64).bound(), VirtualStage::kOutfeed);
}

// One core, which sends every second step. A queue holds one at least.
TEST(OutfeedTest, RealTimeAndVirtualTimeAgreeToTheNanosecond) {
  for (const size_t depth : {1, 0}) {
    const OutfeedOptions options = {
        .every = 2, .depth = depth, .drain_ns = 5000};
    FakeClock clock;
    std::jthread time(
        [&](std::stop_token stop) { clock.FollowDeadlines(1, stop); });
    ASSERT_OK_AND_ASSIGN(const auto outfeed, Outfeed::Start(1, options, clock));
    int64_t now_ns = clock.NowNs();
    int64_t waited_ns = 0;
    for (int n = 0; n < 12; ++n) {
      now_ns += 1000;
      if ((n + 1) % 2 != 0) continue;
      ASSERT_OK_AND_ASSIGN(const int64_t free_ns, outfeed->Send(0, now_ns, {}));
      waited_ns += free_ns - now_ns;
      now_ns = free_ns;
    }
    const VirtualStep step = {.step_ns = 1000};
    ASSERT_OK_AND_ASSIGN(const VirtualReport same,
                         RunVirtual({&step, 1}, 12, {.outfeed = options}));
    EXPECT_EQ(waited_ns, 5 * (5000 - 2000));
    EXPECT_EQ(same.MeanNs(Bucket::kOutfeedWait), waited_ns);
  }
}

TEST(OutfeedTest, ATrainingRunChargesTheWaitToTheOutfeed) {
  FakeClock clock;
  TrainingOptions options = {.depth = 12, .clock = &clock};
  options.device = {.step_ns = 10'000,
                    .compile_ns = 0,
                    .transfer_ns = 0,
                    .bytes_per_second = 0,
                    .outfeed = {.every = 1, .drain_ns = 1'000'000}};
  // All batches are there before time passes, for the outfeed or a device
  // beside the watchdog.
  std::latch pushed(1);
  const auto count = [&](MadeBatches&, uint64_t step) {
    if (step == 12) pushed.count_down();
    return OkStatus();
  };
  std::jthread time([&](const std::stop_token& stop) {
    pushed.wait();
    clock.FollowDeadlines(2, stop);
  });
  ASSERT_OK_AND_ASSIGN(
      const RunReport report,
      RunTraining(MadeForHosts(2, 1, {.steps = 12, .before = count}),
                  *Mesh::Create({{"data", 2}}), options));
  int64_t sum_ns = 0;
  for (size_t b = 0; b < kBuckets; ++b) {
    sum_ns += report.cores[0].ledger.ns(static_cast<Bucket>(b));
  }
  EXPECT_EQ(sum_ns, report.wall_ns);
  // Each core sends 12; all but two of each have to be taken before the end.
  EXPECT_GE(report.wall_ns, 20 * 1'000'000);
  EXPECT_GT(report.MeanNs(Bucket::kOutfeedWait), 0);
  EXPECT_GT(report.times.outfeed_percent, 0);
}

}  // namespace
}  // namespace penstock
