// The timeline against closed forms: a producer, a link and a device that meet
// at a bounded queue, in virtual time.
#include "infeed/devices/core_timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "infeed/accounts/step_times.h"

namespace penstock {
namespace {

struct Outcome {
  std::vector<StepSpan> steps;
  Ledger ledger{0};
};

// One device with a queue of `depth`; a batch takes `produce` to build, then
// `transfer` on the link, and `compute` on the device. The producer holds a
// finished batch until it fits; a step frees its place when it begins.
Outcome Play(size_t depth, size_t steps,
             const std::function<int64_t()>& produce, int64_t transfer_ns,
             const std::function<int64_t()>& compute) {
  CoreTimeline timeline(0, 0);
  Outcome outcome;
  int64_t pushed_ns = 0;
  int64_t link_free_ns = 0;
  for (size_t k = 0; k < steps; ++k) {
    pushed_ns += produce();
    if (k >= depth) {
      pushed_ns = std::max(pushed_ns, outcome.steps[k - depth].begin_ns);
    }
    link_free_ns = std::max(link_free_ns, pushed_ns) + transfer_ns;
    StepSpan span{.free_ns = timeline.free_ns()};
    span.begin_ns = timeline.Feed(pushed_ns, link_free_ns);
    const int64_t begin_ns = timeline.Begin({.begin_ns = span.begin_ns});
    span.end_ns = begin_ns + compute();
    timeline.End(span.end_ns, 0, 1);
    outcome.steps.push_back(span);
  }
  timeline.Finish(timeline.free_ns());
  outcome.ledger = timeline.ledger();
  return outcome;
}

struct ClosedForm {
  int64_t compute_us;
  int64_t produce_us;
  int64_t transfer_us;
  int64_t step_us;
  double infeed_percent;
  InputBound bound;
};

TEST(CoreTimelineTest, SlowestStageSetsTheStepTime) {
  const std::vector<ClosedForm> cases = {
      {10000, 8000, 3000, 10000, 0, InputBound::kNot},
      {10000, 10500, 3000, 10500, 4.7619, InputBound::kNot},
      {10000, 12000, 3000, 12000, 16.6667, InputBound::kModerately},
      {10000, 5000, 14000, 14000, 28.5714, InputBound::kHighly},
      {10000, 20000, 3000, 20000, 50, InputBound::kHighly},
  };
  for (const ClosedForm& c : cases) {
    const Outcome outcome = Play(
        2, 10000, [&] { return c.produce_us * 1000; }, c.transfer_us * 1000,
        [&] { return c.compute_us * 1000; });
    const StepSummary summary = Summarize(outcome.steps);
    EXPECT_EQ(summary.p50_ns, c.step_us * 1000);
    EXPECT_EQ(summary.max_ns, c.step_us * 1000);
    EXPECT_NEAR(summary.infeed_percent, c.infeed_percent, 1e-4);
    EXPECT_EQ(InputBoundOf(summary.infeed_percent), c.bound);
    EXPECT_NEAR(summary.au_percent, 100 - c.infeed_percent, 0.01);
  }
}

TEST(CoreTimelineTest, WaitsAreChargedToWhatWasLate) {
  CoreTimeline timeline(100, 150);
  EXPECT_EQ(timeline.Feed(180, 185), 185);
  EXPECT_EQ(timeline.Begin({.begin_ns = 200, .compile_ns = 1000}), 1200);
  timeline.End(1300, 1, 4);
  // The next batch was there long ago.
  EXPECT_EQ(timeline.Feed(400, 500), 1300);
  EXPECT_EQ(timeline.Begin({.begin_ns = 1300}), 1300);
  timeline.End(1400, 0, 4);
  timeline.Finish(1450);
  const Ledger& ledger = timeline.ledger();
  EXPECT_EQ(ledger.ns(Bucket::kInit), 50);
  EXPECT_EQ(ledger.ns(Bucket::kInfeedWait), 30);
  EXPECT_EQ(ledger.ns(Bucket::kTransferWait), 5);
  EXPECT_EQ(ledger.ns(Bucket::kPeerWait), 15);
  EXPECT_EQ(ledger.ns(Bucket::kCompile), 1000);
  EXPECT_EQ(ledger.ns(Bucket::kPadCompute), 25);
  EXPECT_EQ(ledger.ns(Bucket::kCompute), 175);
  EXPECT_EQ(ledger.ns(Bucket::kDrain), 50);
  EXPECT_EQ(ledger.wall_ns(), 1350);
}

TEST(CoreTimelineTest, TransferBoundRunsWaitForTheTransfer) {
  const Outcome outcome = Play(
      2, 1000, [] { return int64_t{5}; }, 14, [] { return int64_t{10}; });
  EXPECT_EQ(outcome.ledger.ns(Bucket::kTransferWait), 14 + 999 * 4);
  EXPECT_EQ(outcome.ledger.ns(Bucket::kInfeedWait), 5);
}

// A birth-death chain with states 0 .. Q+2 for exponential times: the device
// is busy unless the system is empty, p_n ~ (produce rate / compute rate)^n.
TEST(CoreTimelineTest, RandomTimesMatchTheQueueingFormula) {
  const auto utilisation = [](double rho, size_t depth) {
    std::mt19937_64 random(42);
    std::exponential_distribution<double> produce(rho / 1e6);
    std::exponential_distribution<double> compute(1.0 / 1e6);
    const Outcome outcome = Play(
        depth, 200000, [&] { return static_cast<int64_t>(produce(random)); }, 0,
        [&] { return static_cast<int64_t>(compute(random)); });
    return static_cast<double>(outcome.ledger.ns(Bucket::kCompute)) /
           static_cast<double>(outcome.ledger.wall_ns());
  };
  EXPECT_NEAR(utilisation(1, 1), 0.75, 0.005);
  EXPECT_NEAR(utilisation(1, 2), 0.80, 0.005);
  EXPECT_NEAR(utilisation(1, 4), 0.8571, 0.005);
  EXPECT_NEAR(utilisation(1, 8), 0.9091, 0.005);
  EXPECT_NEAR(utilisation(1.25, 2), 0.8782, 0.005);
  EXPECT_NEAR(utilisation(1.25, 4), 0.9337, 0.005);
}

TEST(CoreTimelineTest, WaitingForACheckpointIsChargedToIt) {
  CoreTimeline timeline(0, 0);
  timeline.Feed(0, 0);
  timeline.Begin({.begin_ns = 0});
  timeline.End(100, 0, 1);
  timeline.Hold(130);
  timeline.Hold(120);  // is over already
  EXPECT_EQ(timeline.Feed(150, 150), 150);
  EXPECT_EQ(timeline.ledger().ns(Bucket::kCheckpoint), 30);
  EXPECT_EQ(timeline.ledger().ns(Bucket::kInfeedWait), 20);
  EXPECT_EQ(timeline.ledger().ns(Bucket::kCompute), 100);
}

TEST(CoreTimelineTest, SpansTellWhatIsInTheWayBehindAStep) {
  CoreTimeline timeline(0, 0, /*traced_steps=*/1);
  for (const int64_t begin_ns : {0, 200}) {
    timeline.Feed(begin_ns, begin_ns);
    timeline.Begin({.begin_ns = begin_ns});
    timeline.End(begin_ns + 100, 0, 1);
    timeline.Hold(begin_ns + 130, Bucket::kOutfeedWait);
    timeline.Hold(begin_ns + 150);
  }
  ASSERT_EQ(timeline.spans().size(), 1u);
  EXPECT_EQ(timeline.spans()[0].end_ns, 100);
  EXPECT_EQ(timeline.spans()[0].sent_ns, 130);
  EXPECT_EQ(timeline.spans()[0].saved_ns, 150);
}

TEST(StepTimesTest, FirstStepAndStepsThatCompileDoNotCount) {
  const std::vector<StepSpan> steps = {
      {.free_ns = 0, .begin_ns = 500, .compile_ns = 1000, .end_ns = 1510},
      {.free_ns = 1510, .begin_ns = 1510, .end_ns = 1520},
      {.free_ns = 1520, .begin_ns = 1525, .compile_ns = 1000, .end_ns = 2535},
      {.free_ns = 2535, .begin_ns = 2545, .end_ns = 2555},
  };
  const StepSummary summary = Summarize(steps);
  EXPECT_EQ(summary.steps, 4u);
  EXPECT_EQ(summary.p50_ns, 10);
  EXPECT_EQ(summary.p99_ns, 20);
  EXPECT_EQ(summary.wait_p50_ns, 0);
  EXPECT_EQ(summary.wait_p99_ns, 10);
  EXPECT_EQ(summary.wait_max_ns, 10);
  EXPECT_NEAR(summary.infeed_percent, 100.0 * 10 / 30, 1e-9);
  EXPECT_NEAR(summary.au_percent, 100.0 * 40 / (2555 - 500), 1e-9);
  EXPECT_EQ(Summarize({}).steps, 0u);
}

TEST(StepTimesTest, ClassesHaveXprofsBounds) {
  EXPECT_EQ(InputBoundOf(4.999), InputBound::kNot);
  EXPECT_EQ(InputBoundOf(5), InputBound::kModerately);
  EXPECT_EQ(InputBoundOf(19.999), InputBound::kModerately);
  EXPECT_EQ(InputBoundOf(20), InputBound::kHighly);
}

}  // namespace
}  // namespace penstock
