// Closed forms of queues, stragglers and pipelines, which a run in virtual time
// has to reproduce.
#include "infeed/virtual/virtual_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stop_token>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::kInvalid;
using ::penstock::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kMs = 1'000'000;

VirtualReport RunSteps(const VirtualStep& step, uint64_t count,
                       const VirtualOptions& options) {
  return RunVirtual({&step, 1}, count, options).value();
}

struct LadderCase {
  double step_ms;
  double build_ms;
  double transfer_ms;
  double want_step_ms;
  double want_infeed_percent;
  InputBound want_bound;
  VirtualStage want_stage;
};

// A pipeline of fixed times goes at the pace of its slowest stage.
TEST(VirtualRunTest, TheSlowestOfFixedStagesSetsThePace) {
  const std::vector<LadderCase> cases = {
      {10, 8, 3, 10, 0, InputBound::kNot, VirtualStage::kDevice},
      {10, 12, 3, 12, 16.67, InputBound::kModerately, VirtualStage::kBuild},
      {10, 10.5, 3, 10.5, 4.76, InputBound::kNot, VirtualStage::kDevice},
      {10, 5, 14, 14, 28.57, InputBound::kHighly, VirtualStage::kTransfer},
      {10, 20, 3, 20, 50, InputBound::kHighly, VirtualStage::kBuild}};
  for (const LadderCase& c : cases) {
    const VirtualReport report =
        RunSteps({.transfer_ns = std::llround(c.transfer_ms * kMs),
                  .step_ns = std::llround(c.step_ms * kMs)},
                 1000, {.build = {.fixed_ns = std::llround(c.build_ms * kMs)}});
    EXPECT_EQ(report.times.p50_ns, std::llround(c.want_step_ms * kMs));
    EXPECT_NEAR(report.times.infeed_percent, c.want_infeed_percent, 0.01);
    EXPECT_EQ(InputBoundOf(report.times.infeed_percent), c.want_bound);
    EXPECT_EQ(report.bound(), c.want_stage);
  }
}

struct QueueCase {
  size_t depth;
  double rho;  // mean step over mean build
  double want;
};

// A producer and a consumer of exponential times with `depth` places between
// them, blocking after service: p_n ~ rho^n for n = 0 .. depth + 2, and the
// consumer is busy 1 - p_0 of the time; (Q + 2) / (Q + 3) where rho = 1.
TEST(VirtualRunTest, ExponentialQueuesHaveTheirClosedForm) {
  const std::vector<QueueCase> cases = {
      {0, 1, .6667}, {1, 1, .75},      {2, 1, .8},       {4, 1, .8571},
      {8, 1, .9091}, {0, 1.25, .7377}, {2, 1.25, .8782}, {4, 1.25, .9337}};
  for (const QueueCase& c : cases) {
    const auto step_ns = static_cast<int64_t>(c.rho * kMs);
    const VirtualReport report =
        RunSteps({}, 100'000,
                 {.depth = c.depth,
                  .build = {.exponential_mean_ns = kMs},
                  .step_extra = {.exponential_mean_ns = step_ns}});
    EXPECT_NEAR(report.utilisation_percent(), 100 * c.want, c.want)
        << "depth " << c.depth << ", rho " << c.rho;
  }
}

// n hosts that wait for each other, each with exponential extra time of mean m:
// a step takes m (1 + 1/2 + ... + 1/n) more.
TEST(VirtualRunTest, StragglersCostAHarmonicNumber) {
  double harmonic = 0;
  uint32_t counted = 0;
  for (const uint32_t hosts : {1u, 2u, 4u, 8u}) {
    while (counted < hosts) harmonic += 1.0 / ++counted;
    std::vector<uint32_t> host_of_core(hosts);
    for (uint32_t h = 0; h < hosts; ++h) host_of_core[h] = h;
    const VirtualReport report =
        RunSteps({.step_ns = 10 * kMs}, 60'000,
                 {.host_of_core = host_of_core,
                  .hosts = hosts,
                  .step_extra = {.exponential_mean_ns = kMs}});
    const double mean_ms = static_cast<double>(report.wall_ns) / kMs / 60'000;
    EXPECT_NEAR(mean_ms - 10, harmonic, 0.01 * harmonic) << hosts << " hosts";
  }
}

// n hosts that meet at each batch, each with an exponential time of mean m for
// its part and no place to be ahead: m (1 + 1/2 + ... + 1/n) for a batch. Those
// that do not meet wait for each other at steps alone, a queue later.
TEST(VirtualRunTest, HostsThatMeetGoAtThePaceOfTheLastOfEachBatch) {
  double harmonic = 0;
  uint32_t counted = 0;
  for (const uint32_t hosts : {1u, 2u, 4u, 8u}) {
    while (counted < hosts) harmonic += 1.0 / ++counted;
    std::vector<uint32_t> host_of_core(hosts);
    for (uint32_t h = 0; h < hosts; ++h) host_of_core[h] = h;
    VirtualOptions options = {.host_of_core = host_of_core,
                              .hosts = hosts,
                              .depth = 4,
                              .hosts_meet = true,
                              .build = {.exponential_mean_ns = kMs}};
    const auto mean_ms = [&] {
      return static_cast<double>(RunSteps({}, 60'000, options).wall_ns) / kMs /
             60'000;
    };
    EXPECT_NEAR(mean_ms(), harmonic, 0.01 * harmonic) << hosts << " hosts";
    options.hosts_meet = false;
    if (hosts == 1) continue;
    EXPECT_LT(mean_ms(), 0.95 * harmonic) << hosts << " hosts";
  }
}

// The others have done their part when the last one comes.
TEST(VirtualRunTest, WhoComesLastToAMeetingIsBlamed) {
  const VirtualReport report = RunSteps({.build_ns = kMs, .step_ns = kMs}, 100,
                                        {.host_of_core = {0, 1, 2},
                                         .hosts = 3,
                                         .parts_of_host = {1, 1, 5},
                                         .hosts_meet = true});
  EXPECT_EQ(report.times.p50_ns, 5 * kMs);
  EXPECT_EQ(report.blame_ns[0][0], 0);
  EXPECT_EQ(report.blame_ns[1][0], 0);
  EXPECT_EQ(report.blame_ns[2][0], 5 * kMs + 99 * 4 * kMs);
}

// Rows that are dealt out for decoding are the same for all hosts.
TEST(VirtualRunTest, WhatAHostIsDealtDoesNotDependOnItsParts) {
  const VirtualStep step = {
      .build_ns = kMs, .dealt_ns = 2 * kMs, .least_build_ns = 4 * kMs};
  VirtualOptions options = {
      .host_of_core = {0, 1}, .hosts = 2, .parts_of_host = {1, 2}};
  EXPECT_EQ(RunSteps(step, 100, options).times.p50_ns, 4 * kMs);
  options.parts_of_host = {1, 3};
  EXPECT_EQ(RunSteps(step, 100, options).times.p50_ns, 5 * kMs);
  const VirtualStep negative = {.dealt_ns = -1};
  EXPECT_THAT(RunVirtual({&negative, 1}, 1, options),
              StatusIs(kInvalid, HasSubstr("negative")));
}

TEST(VirtualRunTest, InputThatCostsNothingLeavesTheDevicesBusy) {
  const VirtualReport report = RunSteps({.step_ns = kMs}, 1000, {});
  EXPECT_DOUBLE_EQ(report.times.au_percent, 100);
  EXPECT_DOUBLE_EQ(report.utilisation_percent(), 100);
}

// MLPerf Storage's thresholds: a stall as long as the budget is just enough.
TEST(VirtualRunTest, StallsOfTheBudgetAreOnTheThreshold) {
  const auto au = [](double step_s, double threshold) {
    const auto step_ns = static_cast<int64_t>(step_s * 1e9);
    const auto build_ns = static_cast<int64_t>(step_s * 1e9 / threshold);
    return RunSteps({.step_ns = step_ns}, 10'000,
                    {.build = {.fixed_ns = build_ns}})
        .times.au_percent;
  };
  EXPECT_NEAR(au(0.323, 0.90), 90, 0.1);
  EXPECT_NEAR(au(0.224, 0.70), 70, 0.1);
}

// Cores that get their batches at random times: depth is what helps.
TEST(VirtualRunTest, DepthHidesTransfersThatVary) {
  const auto utilisation = [](size_t depth) {
    return RunSteps({.step_ns = 10 * kMs}, 20'000,
                    {.host_of_core = std::vector<uint32_t>(8, 0),
                     .depth = depth,
                     .transfer_extra = {.fixed_ns = 2 * kMs,
                                        .exponential_mean_ns = 4 * kMs}})
        .utilisation_percent();
  };
  EXPECT_LT(utilisation(1), 90);
  EXPECT_GT(utilisation(16), 99);
}

TEST(VirtualRunTest, EveryNanosecondOfEveryCoreIsInOneBucket) {
  const std::vector<VirtualStep> steps = {
      {.transfer_ns = 700, .step_ns = 900, .compile_ns = 5000},
      {.transfer_ns = 100, .step_ns = 1100, .pad_rows = 3, .rows = 8}};
  ASSERT_OK_AND_ASSIGN(
      const VirtualReport report,
      RunVirtual(steps, 500,
                 {.host_of_core = {0, 0, 1, 2, 2, 2},
                  .hosts = 3,
                  .build = {.fixed_ns = 300, .exponential_mean_ns = 600},
                  .transfer_extra = {.exponential_mean_ns = 200},
                  .step_extra = {.exponential_mean_ns = 100}}));
  for (const VirtualCore& core : report.cores) {
    int64_t sum_ns = 0;
    for (size_t b = 0; b < kBuckets; ++b) {
      sum_ns += core.ledger.ns(static_cast<Bucket>(b));
    }
    EXPECT_EQ(sum_ns, report.wall_ns);
  }
  EXPECT_GT(report.MeanNs(Bucket::kPadCompute), 0);
  EXPECT_GT(report.MeanNs(Bucket::kCompile), 0);
}

TEST(VirtualRunTest, TheSlowHostIsBlamed) {
  // Host 1 has a core whose link is slow in every step it draws.
  std::vector<VirtualStep> steps = {{.step_ns = kMs}};
  ASSERT_OK_AND_ASSIGN(const VirtualReport report,
                       RunVirtual(steps, 1000,
                                  {.host_of_core = {0, 1},
                                   .hosts = 2,
                                   .depth = 1,
                                   .build = {.fixed_ns = 2 * kMs}}));
  EXPECT_EQ(report.bound(), VirtualStage::kBuild);
  EXPECT_THAT(
      VirtualReportText(report),
      AllOf(HasSubstr("virtual time, a prediction: 1000 steps"),
            HasSubstr("HIGHLY input bound"), HasSubstr("bound by the build")));
}

// Without a queue, or with one place, each transfer begins when the batch
// before it leaves: the link is idle until then, but nobody builds.
TEST(VirtualRunTest, WhatTakesNoTimeIsNotBlamed) {
  for (const size_t depth : {0u, 1u, 2u, 4u}) {
    for (const size_t built_ahead : {1u, 64u}) {
      const VirtualReport report =
          RunSteps({.transfer_ns = 20 * kMs, .step_ns = 10 * kMs}, 100,
                   {.depth = depth, .built_ahead = built_ahead});
      EXPECT_EQ(report.bound(), VirtualStage::kTransfer) << depth;
      EXPECT_EQ(report.blame_ns[0][0], 0) << depth;
      EXPECT_EQ(report.blame_ns[0][1], 20 * kMs + 99 * 10 * kMs) << depth;
    }
  }
}

TEST(VirtualRunTest, FromHandToHandBuildAndTransferAreBlamedForTheirParts) {
  const VirtualReport report = RunSteps(
      {.build_ns = 15 * kMs, .transfer_ns = 20 * kMs, .step_ns = 10 * kMs}, 100,
      {.depth = 0});
  EXPECT_EQ(report.times.p50_ns, 35 * kMs);
  EXPECT_EQ(report.blame_ns[0][0], 15 * kMs + 99 * 5 * kMs);
  EXPECT_EQ(report.blame_ns[0][1], 100 * 20 * kMs);
}

// A whole pod: 2,240 hosts of eight cores.
TEST(VirtualRunTest, TheSameSeedGivesTheSameReportOfAPod) {
  constexpr uint32_t kHosts = 2240;
  const VirtualStep step = {.transfer_ns = kMs, .step_ns = 10 * kMs};
  VirtualOptions options = {
      .hosts = kHosts,
      .build = {.fixed_ns = 5 * kMs, .exponential_mean_ns = kMs},
      .step_extra = {.exponential_mean_ns = kMs / 10}};
  options.host_of_core.clear();
  for (uint32_t core = 0; core < 8 * kHosts; ++core) {
    options.host_of_core.push_back(core / 8);
  }
  const auto json = [&] {
    return VirtualReportJson(RunSteps(step, 20, options));
  };
  const std::string first = json();
  EXPECT_EQ(json(), first);
  EXPECT_THAT(first, HasSubstr("\"cores\": 17920"));
  options.seed = 18;
  EXPECT_NE(json(), first);
}

TEST(VirtualRunTest, MistakesAreNamed) {
  const VirtualStep step;
  EXPECT_THAT(RunVirtual({}, 1, {}),
              StatusIs(kInvalid, HasSubstr("needs a step and a core")));
  EXPECT_THAT(RunVirtual({&step, 1}, 1, {.host_of_core = {1}}),
              StatusIs(kInvalid, HasSubstr("a core on host 1")));
  EXPECT_THAT(RunVirtual({&step, 1}, 1, {.build = {.fixed_ns = -1}}),
              StatusIs(kInvalid, HasSubstr("negative time")));
}

// Ten days at a time.
TEST(VirtualRunTest, TimesThatNobodyCanCountAreRefused) {
  constexpr int64_t kTenDays = 864'000'000 * kMs;
  const auto refused = [](const VirtualStep& step, uint64_t count,
                          const VirtualOptions& options) {
    EXPECT_THAT(RunVirtual({&step, 1}, count, options),
                StatusIs(kInvalid, HasSubstr("more than 285 years")));
  };
  refused({.step_ns = kTenDays}, 20'000, {});
  refused({.build_ns = kTenDays}, 2'000, {.parts_of_host = {16}});
  refused({}, 2'000,
          {.host_of_core = std::vector<uint32_t>(16),
           .outfeed = {.every = 1, .drain_ns = kTenDays}});
  refused({}, 1'000, {.step_extra = {.exponential_mean_ns = kTenDays}});
  EXPECT_EQ(RunSteps({.step_ns = kTenDays}, 1'000, {}).wall_ns,
            1'000 * kTenDays);
}

TEST(VirtualRunTest, AStopEndsTheRunHoweverManyStepsItHas) {
  std::stop_source stop;
  stop.request_stop();
  const VirtualStep step = {.step_ns = kMs};
  EXPECT_THAT(RunVirtual({&step, 1}, 1'000'000, {.stop = stop.get_token()}),
              StatusIs(StatusCode::kCancelled,
                       HasSubstr("stopped after 0 steps in virtual time")));
}

// Of four batches one takes as long to build as all four steps. With a place in
// the queue and one more it begins when the batch before it is in the queue;
// with three, when the second is, which is as soon as can be.
TEST(VirtualRunTest, BatchesThatWaitBesideTheQueueHideOneThatTakesLong) {
  const std::vector<VirtualStep> steps = {
      {.build_ns = 40 * kMs, .step_ns = 10 * kMs},
      {.step_ns = 10 * kMs},
      {.step_ns = 10 * kMs},
      {.step_ns = 10 * kMs}};
  const auto wall_ns = [&](size_t built_ahead) {
    return RunVirtual(steps, 400, {.depth = 1, .built_ahead = built_ahead})
        ->wall_ns;
  };
  EXPECT_EQ(wall_ns(3), 40 * kMs + 400 * 10 * kMs);
  EXPECT_EQ(wall_ns(1), 40 * kMs + 400 * 10 * kMs + 99 * 20 * kMs);
}

TEST(VirtualRunTest, AHostTakesAsLongAsItHasParts) {
  const VirtualReport report = RunSteps(
      {.build_ns = kMs, .least_build_ns = 2 * kMs}, 100,
      {.host_of_core = {0, 1, 2}, .hosts = 3, .parts_of_host = {1, 5, 2}});
  EXPECT_EQ(report.wall_ns, 100 * 5 * kMs);
  EXPECT_GT(report.blame_ns[1][0], 0);
  EXPECT_EQ(report.blame_ns[0][0] + report.blame_ns[2][0], 0);
  EXPECT_THAT(RunVirtual(std::vector<VirtualStep>(1), 1,
                         {.hosts = 2, .parts_of_host = {1}}),
              StatusIs(kInvalid, HasSubstr("parts of 1 hosts")));
}

}  // namespace
}  // namespace penstock
