#include "infeed/devices/coordinator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <latch>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "pipeline/group.h"
#include "tests/infeed/made_batches.h"
#include "tests/infeed/queues/fake_clock.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::FakeClock;
using ::penstock::testing::StatusIs;
using ::penstock::testing::TokenContract;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A device whose thread has no other.
StatusOr<StepPlan> Arrive(Coordinator& coordinator, const Arrival& arrival) {
  return coordinator.Await(coordinator.Tell(arrival));
}
StatusOr<int64_t> ArriveAtEnd(Coordinator& coordinator, uint32_t device,
                              int64_t free_ns) {
  PENSTOCK_ASSIGN_OR_RETURN(
      const StepPlan plan,
      coordinator.Await(coordinator.TellEnd(device, free_ns)));
  EXPECT_TRUE(plan.end);
  return plan.begin_ns;
}
void ArriveCancelled(Coordinator& coordinator, uint32_t device,
                     const Status& status) {
  EXPECT_FALSE(
      coordinator.Await(coordinator.TellCancelled(device, status)).ok());
}

class CoordinatorTest : public ::testing::Test {
 protected:
  // Each device arrives on a thread of its own; gives what each was told.
  std::vector<StatusOr<StepPlan>> ArriveAll(
      Coordinator& coordinator, const std::vector<Arrival>& arrivals) {
    std::vector<StatusOr<StepPlan>> plans(arrivals.size());
    {
      std::vector<std::jthread> threads;
      for (size_t i = 0; i < arrivals.size(); ++i) {
        threads.emplace_back(
            [&, i] { plans[i] = Arrive(coordinator, arrivals[i]); });
      }
    }
    return plans;
  }

  const Contract contract_ = TokenContract(8, {2, 4});
};

TEST_F(CoordinatorTest, AStepBeginsWhenTheLastDeviceIsReady) {
  Coordinator coordinator({0, 0, 1}, contract_);
  const auto plans =
      ArriveAll(coordinator, {{.device = 0, .ready_ns = 50, .compile_ns = 9},
                              {.device = 1, .ready_ns = 80, .compile_ns = 9},
                              {.device = 2, .ready_ns = 20, .compile_ns = 9}});
  for (const auto& plan : plans) {
    ASSERT_OK(plan);
    EXPECT_EQ(plan->begin_ns, 80);
    EXPECT_EQ(plan->compile_ns, 9);
    EXPECT_FALSE(plan->last);
  }
  EXPECT_THAT(coordinator.waited_for_ns(), ElementsAre(0, 30 + 60, 0));
  const auto again = ArriveAll(
      coordinator, {{.device = 0, .step = 1, .ready_ns = 90, .compile_ns = 9},
                    {.device = 1, .step = 1, .ready_ns = 90, .compile_ns = 9},
                    {.device = 2, .step = 1, .ready_ns = 95, .compile_ns = 9}});
  EXPECT_EQ(again[0]->compile_ns, 0) << "the shape has its program";
  EXPECT_THAT(coordinator.waited_for_ns(), ElementsAre(0, 90, 10));
  EXPECT_EQ(coordinator.steps(), 2u);
}

TEST_F(CoordinatorTest, AThreadTellsOfManyDevicesAndWaitsOnce) {
  Coordinator coordinator({0, 0, 1, 1}, contract_);
  const auto tell = [&](uint32_t device, uint64_t step) {
    return coordinator.Tell(
        {.device = device, .step = step, .ready_ns = 10 * (device + 1)});
  };
  for (uint64_t step = 0; step < 3; ++step) {
    tell(0, step);
    const Meeting first = tell(1, step);
    tell(2, step);
    EXPECT_FALSE(first.all_told);
    EXPECT_THAT(coordinator.Describe(),
                AllOf(HasSubstr("device 1 (host 0): ready for step"),
                      HasSubstr("waits for device 3 (host 1)\n")));
    const Meeting second = tell(3, step);
    EXPECT_TRUE(second.all_told);
    // The step begins before the other thread comes to wait for it.
    for (const Meeting& meeting : {second, first}) {
      ASSERT_OK_AND_ASSIGN(const StepPlan plan, coordinator.Await(meeting));
      EXPECT_EQ(plan.begin_ns, 40);
      EXPECT_FALSE(plan.end);
    }
    EXPECT_EQ(coordinator.steps(), step + 1);
  }
  // The error that ended the run counts, not what it caused.
  coordinator.Fail(DataLossError("bit rot"));
  for (uint32_t device = 0; device < 3; ++device) tell(device, 3);
  const Meeting last = coordinator.TellCancelled(3, CancelledError("ended"));
  EXPECT_TRUE(last.all_told);
  EXPECT_THAT(coordinator.Await(last),
              StatusIs(StatusCode::kDataLoss, HasSubstr("bit rot")));
  EXPECT_EQ(coordinator.steps(), 3u);
}

TEST_F(CoordinatorTest, HostsThatEndEarlierAreAnErrorNotAHang) {
  Coordinator coordinator({0, 1}, contract_);
  Status ended;
  std::jthread host0([&] { ended = ArriveAtEnd(coordinator, 0, 5).status(); });
  const Status goes_on = Arrive(coordinator, {.device = 1, .step = 8}).status();
  host0.join();
  for (const Status& status : {ended, goes_on}) {
    EXPECT_THAT(
        status,
        StatusIs(StatusCode::kInternal,
                 HasSubstr("device 0 (host 0) has no more data, but "
                           "device 1 (host 1) has a batch for step 8")));
  }
}

TEST_F(CoordinatorTest, HostsThatDisagreeAreNamed) {
  Coordinator shapes({0, 1}, contract_);
  EXPECT_THAT(ArriveAll(shapes, {{.device = 0}, {.device = 1, .shape = 1}})[0],
              StatusIs(StatusCode::kInternal,
                       HasSubstr("in step 0 device 1 (host 1) brings shape 1, "
                                 "but device 0 (host 0) brings shape 0")));
  Coordinator steps({0, 1}, contract_);
  EXPECT_THAT(
      ArriveAll(steps, {{.device = 0, .step = 3}, {.device = 1}})[1],
      StatusIs(StatusCode::kInternal,
               HasSubstr("device 1 (host 1) brings step 0, but device 0 (host "
                         "0) brings step 3")));
}

TEST_F(CoordinatorTest, TheFirstErrorEndsEveryWait) {
  Coordinator coordinator({0, 0, 1}, contract_);
  std::latch waiting(2);
  std::vector<std::jthread> devices;
  for (uint32_t d = 0; d < 2; ++d) {
    devices.emplace_back([&, d] {
      waiting.count_down();
      EXPECT_THAT(Arrive(coordinator, {.device = d}),
                  StatusIs(StatusCode::kDataLoss, HasSubstr("bit rot")));
    });
  }
  waiting.wait();
  coordinator.Fail(DataLossError("bit rot"));
  devices.clear();
  EXPECT_TRUE(coordinator.stop_token().stop_requested());
  coordinator.Fail(InternalError("later"));
  EXPECT_THAT(coordinator.status(),
              StatusIs(StatusCode::kDataLoss, HasSubstr("bit rot")));
  EXPECT_THAT(Arrive(coordinator, {.device = 2}),
              StatusIs(StatusCode::kDataLoss, HasSubstr("bit rot")));
}

TEST_F(CoordinatorTest, AnErrorCountsMoreThanTheCancellingItCaused) {
  Coordinator coordinator({0, 1}, contract_);
  std::jthread cancelled(
      [&] { ArriveCancelled(coordinator, 0, CancelledError("a peer ended")); });
  while (coordinator.Describe().find("cancelled") == std::string::npos) {
    std::this_thread::yield();
  }
  EXPECT_OK(coordinator.status());
  coordinator.Fail(DataLossError("bit rot"));
  cancelled.join();
  EXPECT_THAT(coordinator.status(),
              StatusIs(StatusCode::kDataLoss, HasSubstr("bit rot")));
}

TEST_F(CoordinatorTest, CancellingWithoutAnErrorEndsTheRunToo) {
  Coordinator coordinator({0, 1}, contract_);
  std::jthread cancelled(
      [&] { ArriveCancelled(coordinator, 0, CancelledError("a peer ended")); });
  EXPECT_THAT(Arrive(coordinator, {.device = 1}),
              StatusIs(StatusCode::kCancelled,
                       HasSubstr("device 0 (host 0): a peer ended")));
}

TEST_F(CoordinatorTest, TheRunStopsForAllAtTheSameStep) {
  Coordinator coordinator({0, 1}, contract_, {.max_steps = 2});
  for (uint64_t step = 0; step < 2; ++step) {
    for (const auto& plan : ArriveAll(
             coordinator,
             {{.device = 0, .step = step}, {.device = 1, .step = step}})) {
      EXPECT_EQ(plan->last, step == 1);
    }
  }
  Coordinator asked({0}, contract_);
  asked.RequestStop();
  EXPECT_TRUE(Arrive(asked, {.device = 0})->last);
}

TEST_F(CoordinatorTest, EndIsWhenTheLastDeviceIsFree) {
  Coordinator coordinator({0, 1}, contract_);
  std::jthread other([&] { EXPECT_EQ(*ArriveAtEnd(coordinator, 0, 70), 90); });
  EXPECT_EQ(*ArriveAtEnd(coordinator, 1, 90), 90);
  other.join();
  EXPECT_THAT(coordinator.waited_for_ns(), ElementsAre(0, 0));
}

// Devices that arrive at a step that begins 500 ns ahead and compiles for 9.
class StepAheadTest : public CoordinatorTest {
 protected:
  StepAheadTest() {
    for (uint32_t d = 0; d < 3; ++d) {
      arrivals_.push_back({.device = d,
                           .ready_ns = clock_.NowNs() + (d == 1 ? 500 : 100),
                           .compile_ns = 9});
    }
  }

  FakeClock clock_;
  Coordinator coordinator_{{0, 0, 1}, contract_, {.clock = &clock_}};
  std::vector<Arrival> arrivals_;
};

TEST_F(StepAheadTest, OneDeviceWaitsForTheBeginForAll) {
  const int64_t begin_ns = clock_.NowNs() + 500;
  std::jthread devices([&] {
    for (const auto& plan : ArriveAll(coordinator_, arrivals_)) {
      ASSERT_OK(plan);
      EXPECT_EQ(plan->begin_ns, begin_ns);
      EXPECT_EQ(plan->compile_ns, 9);
      EXPECT_GE(clock_.NowNs(), begin_ns + 9);
    }
  });
  clock_.AwaitWaiters(1);
  EXPECT_THAT(coordinator_.Describe(),
              HasSubstr("device 2 (host 1): ready for step 0, waits for its "
                        "begin\n"));
  EXPECT_EQ(coordinator_.steps(), 0u);
  clock_.Advance(499);
  clock_.AwaitWaiters(1);
  EXPECT_EQ(coordinator_.steps(), 0u);
  clock_.Advance(1);
  clock_.AwaitWaiters(1);  // for what is compiled
  EXPECT_EQ(coordinator_.steps(), 1u);
  clock_.Advance(9);
}

TEST_F(StepAheadTest, AnErrorEndsTheWaitForTheBegin) {
  std::jthread devices([&] {
    for (const auto& plan : ArriveAll(coordinator_, arrivals_)) {
      EXPECT_THAT(plan, StatusIs(StatusCode::kDataLoss, HasSubstr("bit rot")));
    }
  });
  clock_.AwaitWaiters(1);
  coordinator_.Fail(DataLossError("bit rot"));
  devices.join();
  EXPECT_EQ(coordinator_.steps(), 0u);
}

TEST_F(StepAheadTest, AStopAskedForBeforeTheBeginIsBehindThisStep) {
  std::jthread devices([&] {
    for (const auto& plan : ArriveAll(coordinator_, arrivals_)) {
      ASSERT_OK(plan);
      EXPECT_TRUE(plan->last);
    }
  });
  clock_.AwaitWaiters(1);
  coordinator_.RequestStop();
  clock_.Advance(500);
  clock_.AwaitWaiters(1);
  clock_.Advance(9);
}

TEST_F(StepAheadTest, TheEndIsWaitedForToo) {
  const int64_t end_ns = clock_.NowNs() + 70;
  Coordinator coordinator({0}, contract_, {.clock = &clock_});
  std::jthread device([&] {
    EXPECT_EQ(*ArriveAtEnd(coordinator, 0, end_ns), end_ns);
    EXPECT_EQ(clock_.NowNs(), end_ns);
  });
  clock_.AwaitWaiters(1);
  clock_.Advance(70);
}

// One end of a group that is called before each round.
class CalledGroup : public Group {
 public:
  explicit CalledGroup(Group& group) : group_(group) {}

  std::function<void()> before = [] {};

  uint32_t hosts() const override { return group_.hosts(); }
  uint32_t host() const override { return group_.host(); }
  StatusOr<std::vector<std::string>> AllGather(std::string_view mine) override {
    before();
    return group_.AllGather(mine);
  }
  StatusOr<std::vector<std::string>> Exchange(
      std::vector<std::string> to) override {
    return group_.Exchange(std::move(to));
  }
  void Fail(const Status& why) override { group_.Fail(why); }
  Status failed() const override { return group_.failed(); }
  void Beat(std::string_view report) override { group_.Beat(report); }
  std::vector<HostPulse> Pulses() const override { return group_.Pulses(); }

 private:
  Group& group_;
};

TEST_F(CoordinatorTest, AStopAskedForInARoundIsToldInTheNext) {
  const auto group = ThreadGroup(2);
  CalledGroup called(*group[0]);
  Coordinator host0({0, 1}, contract_, {.group = &called});
  Coordinator host1({0, 1}, contract_, {.group = group[1].get()});
  int rounds = 0;  // the first is that of the instant that times are told from
  called.before = [&] {
    if (++rounds == 2) host0.RequestStop();
  };
  for (uint64_t step = 0; step < 2; ++step) {
    StatusOr<StepPlan> other = UnknownError("none");
    std::jthread thread(
        [&] { other = Arrive(host1, {.device = 1, .step = step}); });
    ASSERT_OK_AND_ASSIGN(const StepPlan plan,
                         Arrive(host0, {.device = 0, .step = step}));
    thread.join();
    ASSERT_OK(other);
    EXPECT_EQ(plan.last, step == 1);
    EXPECT_EQ(other->last, step == 1);
  }
}

TEST_F(CoordinatorTest, ProcessesMeetOnceTheirDevicesAreReady) {
  const auto group = ThreadGroup(2);
  CalledGroup called(*group[0]);
  FakeClock clock;
  Coordinator host0({0, 1}, contract_, {.group = &called, .clock = &clock});
  Coordinator host1({0, 1}, contract_,
                    {.group = group[1].get(), .clock = &clock});
  const int64_t ready_ns = clock.NowNs() + 50;
  called.before = [&] { EXPECT_GE(clock.NowNs(), ready_ns); };
  const auto arrive = [&](Coordinator& host, uint32_t device) {
    const StatusOr<StepPlan> plan =
        Arrive(host, {.device = device, .ready_ns = ready_ns});
    ASSERT_OK(plan);
    EXPECT_TRUE(plan->last);
  };
  std::jthread other([&] { arrive(host1, 1); });
  std::jthread device([&] { arrive(host0, 0); });
  clock.AwaitWaiters(2);
  host1.RequestStop();
  clock.Advance(50);
}

TEST_F(CoordinatorTest, DescriptionSaysWhoWaitsForWhom) {
  Coordinator coordinator({0, 0, 1}, contract_);
  std::jthread waiting(
      [&] { (void)Arrive(coordinator, {.device = 0, .step = 0}); });
  while (coordinator.Describe().find("ready for step 0") == std::string::npos) {
    std::this_thread::yield();
  }
  EXPECT_THAT(
      coordinator.Describe(),
      AllOf(HasSubstr("device 0 (host 0): ready for step 0, waits for device 1 "
                      "(host 0), device 2 (host 1)\n"),
            HasSubstr("device 2 (host 1): not ready for the next step")));
  coordinator.Fail(CancelledError("over"));
}

TEST_F(CoordinatorTest, CompileBudgetEndsTheRun) {
  Coordinator coordinator({0}, contract_, {.compile = {.budget = 1}});
  ASSERT_OK(Arrive(coordinator, {.device = 0}));
  EXPECT_THAT(Arrive(coordinator, {.device = 0, .step = 1, .shape = 1}),
              StatusIs(StatusCode::kResourceExhausted,
                       HasSubstr("tokens dim 1: 2 -> 4")));
}

}  // namespace
}  // namespace penstock
