#include "pipeline/run/host_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;

constexpr uint64_t kRecords = 20'000;
constexpr uint64_t kRows = 16;

// Counts for how many positions it was asked.
class CountingOrder final : public Order {
 public:
  uint64_t records() const override { return of_->records(); }
  uint64_t id_limit() const override { return of_->id_limit(); }
  bool whole() const override { return true; }
  bool distinct() const override { return true; }
  InCommon epochs_share() const override { return of_->epochs_share(); }
  void Fill(uint64_t epoch, uint64_t first,
            std::span<uint64_t> ids) const override {
    asked_ += ids.size();
    of_->Fill(epoch, first, ids);
  }
  void Look(uint64_t epoch, std::span<uint64_t> positions) const override {
    of_->Look(epoch, positions);
  }

  uint64_t asked() const { return asked_; }

 private:
  const std::shared_ptr<const Order> of_ = ShuffledOrder(kRecords, {.seed = 3});
  mutable std::atomic<uint64_t> asked_ = 0;
};

class HostPlanTest : public ::testing::Test {
 protected:
  static constexpr uint32_t kHosts = 5;

  HostPlanTest()
      : facts_{.order = order_,
               .lengths = {},
               .arrange = {.rows = kRows},
               .steps = {.epochs = 2},
               .forecast = {}} {
    Start({});
  }

  // Hosts that go on from `state`.
  void Start(const std::optional<State>& state) {
    hosts_.clear();
    owners_.clear();
    ends_ = ThreadGroup(kHosts);
    for (const auto& end : ends_) {
      const auto owner = std::make_shared<int>();
      owners_.push_back(owner);
      hosts_.push_back(std::make_unique<HostPlan>(facts_, owner, end.get()));
      if (state) {
        ASSERT_OK(hosts_.back()->Load(*state));
      }
      ASSERT_OK(hosts_.back()->Begin());
    }
  }

  // Up to `most` states that `host` comes to.
  std::vector<State> Take(uint32_t host, size_t most = SIZE_MAX) {
    std::vector<State> states;
    while (states.size() < most) {
      const StatusOr<const Step*> step = hosts_[host]->Next({});
      EXPECT_OK(step.status());
      if (!step.ok() || *step == nullptr) break;
      states.push_back((*step)->after);
    }
    return states;
  }

  // Those of a host that nobody shares with.
  std::vector<State> Alone() const {
    HostPlan alone(facts_, nullptr, nullptr);
    std::vector<State> states;
    for (;;) {
      const StatusOr<const Step*> step = alone.Next({});
      EXPECT_OK(step.status());
      if (!step.ok() || *step == nullptr) return states;
      states.push_back((*step)->after);
    }
  }

  const std::shared_ptr<const CountingOrder> order_ =
      std::make_shared<CountingOrder>();
  const PlanFacts facts_;
  std::vector<std::unique_ptr<Group>> ends_;
  std::vector<std::unique_ptr<HostPlan>> hosts_;
  std::vector<std::weak_ptr<const void>> owners_;  // of what they refer to
};

TEST_F(HostPlanTest, StepsAreMadeOnceForAllHostsOfAProcess) {
  const std::vector<State> expected = Alone();
  ASSERT_EQ(expected.size(), 2 * kRecords / kRows);
  const uint64_t asked = order_->asked();
  for (const State& state : expected) {
    for (uint32_t host = 0; host < kHosts; ++host) {
      ASSERT_EQ(Take(host, 1), std::vector{state}) << host;
    }
  }
  for (uint32_t host = 0; host < kHosts; ++host) {
    EXPECT_TRUE(Take(host).empty());
    EXPECT_EQ(hosts_[host]->counts(), expected.back().counts);
  }
  EXPECT_EQ(order_->asked(), 2 * asked);
}

TEST_F(HostPlanTest, HostsThatAreThreadsComeToTheSameSteps) {
  const std::vector<State> expected = Alone();
  std::vector<std::vector<State>> taken(kHosts);
  {
    std::vector<std::jthread> threads;
    for (uint32_t host = 0; host < kHosts; ++host) {
      threads.emplace_back([&, host] { taken[host] = Take(host); });
    }
  }
  for (const std::vector<State>& states : taken) EXPECT_EQ(states, expected);
}

// The steps that were kept for them are gone.
TEST_F(HostPlanTest, HostsFarBehindTheOthersPlanForThemselves) {
  const std::vector<State> expected = Alone();
  std::vector<State> some = Take(1, 7);
  EXPECT_EQ(Take(0), expected);
  const std::vector<State> rest = Take(1);
  some.insert(some.end(), rest.begin(), rest.end());
  EXPECT_EQ(some, expected);
  EXPECT_EQ(Take(2), expected);
  EXPECT_EQ(hosts_[2]->counts(), expected.back().counts);
}

TEST_F(HostPlanTest, HostsGoOnTogetherFromAState) {
  const std::vector<State> expected = Alone();
  Start(expected[99]);
  for (uint32_t host = 0; host < kHosts; ++host) {
    EXPECT_EQ(Take(host, 1), std::vector{expected[100]});
  }
  EXPECT_EQ(Take(3).size(), expected.size() - 101);
}

// Whoever made the plan may leave first, with all that only it knows.
TEST_F(HostPlanTest, ThePlanOutlivesTheHostThatMadeIt) {
  const std::vector<State> expected = Alone();
  EXPECT_EQ(Take(0, 3).size(), 3u);
  hosts_[0].reset();
  ends_[0].reset();
  EXPECT_FALSE(owners_[0].expired());
  EXPECT_EQ(Take(4), expected);
  hosts_.clear();
  EXPECT_TRUE(owners_[0].expired());
}

TEST_F(HostPlanTest, AHostThatIsCancelledTakesNothingFromTheOthers) {
  const std::vector<State> expected = Alone();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(hosts_[0]->Next(stop.get_token()).status(),
              StatusIs(StatusCode::kCancelled, HasSubstr("cancelled")));
  EXPECT_EQ(Take(1), expected);
}

// One that makes a step without an end is waited for by nobody who leaves.
TEST(EndlessHostPlanTest, WhoWaitsForAStepIsCancelledByItself) {
  const PlanFacts facts = {
      .order = ShuffledOrder(5, {.seed = 3}),
      .lengths = {},
      .arrange = {.rows = 10},
      .steps = {.leftover = Leftover::kDrop, .epochs = 1'000'000'000'000},
      .forecast = {}};
  const auto ends = ThreadGroup(2);
  HostPlan first(facts, nullptr, ends[0].get());
  HostPlan second(facts, nullptr, ends[1].get());
  ASSERT_OK(first.Begin());
  ASSERT_OK(second.Begin());
  std::stop_source stops[2];
  std::thread making([&] {
    EXPECT_THAT(first.Next(stops[0].get_token()).status(),
                StatusIs(StatusCode::kCancelled, HasSubstr("cancelled")));
  });
  std::thread waiting([&] {
    EXPECT_THAT(second.Next(stops[1].get_token()).status(),
                StatusIs(StatusCode::kCancelled, HasSubstr("cancelled")));
  });
  stops[1].request_stop();
  waiting.join();
  stops[0].request_stop();
  making.join();
}

TEST(RefusedHostPlanTest, AnErrorComesToAllHostsAtItsPlace) {
  const PlanFacts facts = {.order = ShuffledOrder(25, {.seed = 3}),
                           .lengths = {},
                           .arrange = {.rows = 10},
                           .steps = {.leftover = Leftover::kError},
                           .forecast = {}};
  const auto ends = ThreadGroup(2);
  HostPlan first(facts, nullptr, ends[0].get());
  HostPlan second(facts, nullptr, ends[1].get());
  ASSERT_OK(first.Begin());
  ASSERT_OK(second.Begin());
  for (HostPlan* const host : {&first, &second}) {
    for (int step = 0; step < 2; ++step) {
      ASSERT_OK_AND_ASSIGN(const Step* const made, host->Next({}));
      EXPECT_NE(made, nullptr);
    }
    EXPECT_THAT(host->Next({}).status(),
                StatusIs(StatusCode::kFailedPrecondition,
                         HasSubstr("epoch 0 leaves 5 rows")));
  }
}

// Of the largest rows and the most that wait.
TEST_F(HostPlanTest, KeptStepsTakeNoMoreThanIsPrinted) {
  EXPECT_GE(hosts_[0]->kept_steps(), 4u);
  uint64_t most = 0;
  for (;;) {
    ASSERT_OK_AND_ASSIGN(const Step* const step, hosts_[0]->Next({}));
    if (step == nullptr) break;
    const Assignment& assignment = step->assignment;
    most = std::max<uint64_t>(
        most, sizeof(Step) + assignment.pieces.capacity() * sizeof(Piece) +
                  assignment.row_offsets.capacity() * sizeof(uint32_t) +
                  step->after.held.size() * sizeof(HeldPiece));
  }
  EXPECT_LE(most * hosts_[0]->kept_steps(), hosts_[0]->MostKeptBytes());
  HostPlan alone(facts_, nullptr, nullptr);
  EXPECT_EQ(alone.MostKeptBytes(), 0u);
}

}  // namespace
}  // namespace penstock
