// Runs whose hosts fail, against the closed forms of saving and losing.
#include "infeed/virtual/failures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::kInvalid;
using ::penstock::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kSecond = 1'000'000'000;

// `count` steps of so many seconds.
std::vector<StepSpan> Steps(uint64_t count, double seconds) {
  const auto step_ns = static_cast<int64_t>(seconds * kSecond);
  std::vector<StepSpan> steps;
  for (uint64_t i = 0; i < count; ++i) {
    const int64_t begin_ns = static_cast<int64_t>(i) * step_ns;
    steps.push_back({.free_ns = begin_ns,
                     .begin_ns = begin_ns,
                     .end_ns = begin_ns + step_ns});
  }
  return steps;
}

struct IntervalCase {
  double save_s;
  double mean_s;
  double young_s;
};

// J. W. Young, "A first order approximation to the optimum checkpoint
// interval", 1974: sqrt(2 C M).
TEST(FailuresTest, TheBestIntervalIsThatOfYoungsFormula) {
  const std::vector<StepSpan> steps = Steps(1000, 0.5);
  size_t cases = 0;
  for (const IntervalCase& c :
       {IntervalCase{30, 10800, 805}, IntervalCase{5, 10800, 329},
        IntervalCase{30, 86400, 2277}}) {
    if (cases++ % testing::kCaseStride != 0) continue;
    ASSERT_NEAR(std::sqrt(2 * c.save_s * c.mean_s), c.young_s, 0.5);
    for (const uint64_t seed : {1u, 17u}) {
      const FailureOptions options = {
          .host_mean_ns = static_cast<int64_t>(c.mean_s) * kSecond,
          .restart_ns = 60 * kSecond,
          .save_ns = static_cast<int64_t>(c.save_s) * kSecond};
      const auto found =
          static_cast<double>(BestInterval(steps, /*hosts=*/1, seed, options));
      EXPECT_NEAR(found / kSecond, c.young_s, 0.1 * c.young_s);
    }
  }
}

// Some 50,000 saves go by from one failure to the next.
TEST(FailuresTest, TheBestIntervalIsFoundHoweverRareFailuresAre) {
  const FailureOptions options = {.host_mean_ns = 5'000'000 * kSecond,
                                  .restart_ns = 60 * kSecond,
                                  .save_ns = kSecond / 1000};
  const auto found = static_cast<double>(
      BestInterval(Steps(50, 0.5), /*hosts=*/1, 17, options));
  EXPECT_NEAR(found / kSecond, 100, 10);
}

// Steps of 1, 2 and 4 s, saved once 5 s are done: behind 7 s, 5 s from there
// and so on.
TEST(FailuresTest, StepsOfAnyLengthsAreSavedBehindTheIntervalAgainAndAgain) {
  std::vector<StepSpan> steps;
  int64_t end_ns = 0;
  for (const int64_t seconds : {1, 2, 4, 1, 2, 4, 1, 2, 4}) {
    end_ns += seconds * kSecond;
    steps.push_back({.end_ns = end_ns});
  }
  ASSERT_OK_AND_ASSIGN(const FailureReport report,
                       RunWithFailures(steps, 1, 17,
                                       {.host_mean_ns = 100'000'000 * kSecond,
                                        .save_ns = kSecond,
                                        .save_interval_ns = 5 * kSecond}));
  EXPECT_EQ(report.saves, 2u);  // behind 7 and 14 s
  EXPECT_EQ(report.wall_ns, 23 * kSecond);
}

// Four hosts that fail every 12 hours are a run that fails every 3.
TEST(FailuresTest, TheFirstHostThatFailsEndsTheRun) {
  FailureOptions options = {.host_mean_ns = 4 * 10800 * kSecond,
                            .save_ns = 30 * kSecond};
  const std::vector<StepSpan> steps = Steps(1000, 0.5);
  const int64_t four = BestInterval(steps, /*hosts=*/4, 17, options);
  options.host_mean_ns /= 4;
  EXPECT_EQ(four, BestInterval(steps, /*hosts=*/1, 17, options));
}

// J. T. Daly, "A higher order estimate of the optimum checkpoint interval for
// restart dumps", 2006: a run of work W saved in segments of T takes
// M exp(R / M) (exp((T + C) / M) - 1) W / T.
TEST(FailuresTest, WallTimeIsThatOfDalysModel) {
  constexpr double kMean = 10800;
  constexpr double kSave = 30;
  constexpr double kRestart = 120;
  constexpr double kInterval = 900;
  constexpr int64_t kStep = 9;
  constexpr uint64_t kSteps = 1'000'000;  // 2,500 hours
  ASSERT_OK_AND_ASSIGN(
      const FailureReport report,
      RunWithFailures(Steps(kSteps, kStep), 1, 17,
                      {.host_mean_ns = int64_t{10800} * kSecond,
                       .restart_ns = 120 * kSecond,
                       .save_ns = 30 * kSecond,
                       .save_interval_ns = 900 * kSecond}));
  const double want = kMean * std::exp(kRestart / kMean) *
                      (std::exp((kInterval + kSave) / kMean) - 1) * kSteps *
                      kStep / kInterval;
  EXPECT_NEAR(static_cast<double>(report.wall_ns) / kSecond, want, 0.01 * want);
  EXPECT_EQ(report.kept_ns, int64_t{kSteps} * kStep * kSecond);
  EXPECT_EQ(report.saves,
            kSteps * kStep / 900 - 1);  // none behind the last step
  EXPECT_EQ(report.save_ns, static_cast<int64_t>(report.saves) * 30 * kSecond);
  EXPECT_EQ(
      report.kept_ns + report.save_ns + report.lost_ns + report.restart_ns,
      report.wall_ns);
  // Each failure loses about half a segment.
  EXPECT_NEAR(static_cast<double>(report.steps_again) /
                  static_cast<double>(report.failures),
              kInterval / 2 / kStep, 0.1 * kInterval / kStep);
}

TEST(FailuresTest, SavesComeBehindTheStepThatEndsAfterTheInterval) {
  // No failure in so short a run: 10 steps of 2 s, saved behind 3, 6 and 9.
  ASSERT_OK_AND_ASSIGN(const FailureReport report,
                       RunWithFailures(Steps(10, 2), 1, 17,
                                       {.host_mean_ns = 100'000'000 * kSecond,
                                        .save_ns = kSecond,
                                        .save_interval_ns = 5 * kSecond}));
  EXPECT_EQ(report.failures, 0u);
  EXPECT_EQ(report.saves, 3u);
  EXPECT_EQ(report.wall_ns, 23 * kSecond);
  EXPECT_FALSE(report.found);
}

TEST(FailuresTest, WithoutASaveTimeEachStepIsSaved) {
  ASSERT_OK_AND_ASSIGN(
      const FailureReport report,
      RunWithFailures(Steps(10, 2), 1, 17,
                      {.host_mean_ns = 100'000'000 * kSecond}));
  EXPECT_TRUE(report.found);
  EXPECT_EQ(report.saves, 9u);
}

// Steps that take no time, of which the third has no place to send back to.
TEST(FailuresTest, WhatIsSentBackBehindTheLastStepIsPartOfTheRun) {
  const VirtualStep step = {};
  ASSERT_OK_AND_ASSIGN(
      const VirtualReport report,
      RunVirtual(
          {&step, 1}, 3,
          {.outfeed = {.every = 1, .depth = 2, .drain_ns = kSecond},
           .failures = {.host_mean_ns = 100'000'000 * kSecond, .save_ns = 1}}));
  EXPECT_EQ(report.wall_ns, kSecond);
  ASSERT_TRUE(report.failures.has_value());
  EXPECT_EQ(report.failures->failures, 0u);
  EXPECT_EQ(report.failures->kept_ns, kSecond);
}

TEST(FailuresTest, ARunThatCannotEndSaysSo) {
  EXPECT_THAT(RunWithFailures(Steps(10, 2), 1000, 17,
                              {.host_mean_ns = 10 * kSecond,
                               .save_interval_ns = 5 * kSecond}),
              StatusIs(kInvalid, HasSubstr("the run does not end")));
}

TEST(FailuresTest, TheSameSeedGivesTheSameReportByteForByte) {
  const VirtualStep step = {.step_ns = 700'000'000, .pad_rows = 1, .rows = 8};
  VirtualOptions options = {.host_of_core = {0, 0, 1, 1},
                            .hosts = 2,
                            .step_extra = {.exponential_mean_ns = 10'000'000},
                            .failures = {.host_mean_ns = 3600 * kSecond,
                                         .restart_ns = 90 * kSecond,
                                         .save_ns = 5 * kSecond}};
  const auto run = [&] {
    return RunVirtual({&step, 1}, 50'000, options).value();
  };
  const VirtualReport one = run();
  ASSERT_TRUE(one.failures.has_value());
  EXPECT_GT(one.failures->failures, 5u);
  EXPECT_EQ(one.failures->kept_ns, one.wall_ns);
  EXPECT_LT(one.goodput_percent(), one.utilisation_percent());
  const VirtualReport two = run();
  EXPECT_EQ(VirtualReportText(one), VirtualReportText(two));
  EXPECT_EQ(VirtualReportJson(one), VirtualReportJson(two));
  EXPECT_THAT(VirtualReportText(one),
              AllOf(HasSubstr("goodput"), HasSubstr("the best that was found"),
                    HasSubstr("steps done again")));
  options.seed = 18;
  EXPECT_NE(VirtualReportJson(one), VirtualReportJson(run()));
}

}  // namespace
}  // namespace penstock
