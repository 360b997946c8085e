#include "pipeline/seek/seek_epoch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "pipeline/arrange/pack_forecast.h"
#include "pipeline/order/order.h"
#include "pipeline/seek/plan_seek.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using testing::StatusIs;

constexpr uint64_t kPart = SeekEpoch::kPartRecords;
constexpr uint64_t kSoughtRecords = 16 * kPart + 77;
constexpr int kThreads = 1;  // so that a group of parts is a small one
constexpr uint64_t kGroup = 8 * kThreads * kPart;

TaskQueue& SeekThreads() {
  static const auto& threads = *new auto(*TaskQueue::Create(kThreads));
  return *threads;
}

// In the order of the file, in batches of 512 rows of two lengths; what is
// longer than 64 is dropped.
PlanFacts BucketFacts(std::span<const uint32_t> lengths) {
  PlanFacts facts = {.order = FileOrder(lengths.size()),
                     .lengths = LengthTable({lengths}),
                     .arrange = {.rows = 512,
                                 .lengths = {32, 64},
                                 .too_long = TooLong::kDrop,
                                 .row_bytes = {1, 1}},
                     .steps = {.epochs = 2},
                     .forecast = {}};
  facts.forecast = ForecastEpoch(lengths.size(), facts.lengths, facts.arrange,
                                 /*keep_left_over=*/true, SeekThreads());
  return facts;
}

// The same values cut into rows of 64.
PlanFacts ChunkFacts(std::span<const uint32_t> lengths) {
  PlanFacts facts = BucketFacts(lengths);
  facts.arrange.lengths = {64};
  facts.arrange.row_bytes = {1};
  facts.arrange.too_long = TooLong::kError;
  facts.arrange.pack = PackRule{
      .kind = PackKind::kChunk, .max_segments = 64, .window_rows = 512};
  facts.forecast = ForecastEpoch(lengths.size(), facts.lengths, facts.arrange,
                                 /*keep_left_over=*/true, SeekThreads());
  facts.forecast.pack = ForecastPacking(facts);
  return facts;
}

// What the run itself comes to, of some of its steps.
std::map<uint64_t, State> StatesAfter(const PlanFacts& facts,
                                      const std::set<uint64_t>& steps) {
  std::map<uint64_t, State> states;
  Plan plan = facts.MakePlan();
  Step step;
  while (states.size() < steps.size()) {
    const auto made = plan.Next({}, step);
    EXPECT_TRUE(made.ok() && *made) << made.status();
    if (!made.ok() || !*made) break;
    if (steps.contains(step.after.step)) states[step.after.step] = step.after;
  }
  return states;
}

// Seeks steps of both epochs. Returns how many records were looked at for that
// of the first in the middle.
uint64_t SeekAll(const PlanFacts& facts) {
  const uint64_t steps = facts.forecast.pack ? *facts.forecast.pack->exact_steps
                                             : facts.forecast.steps;
  const uint64_t middle = steps / 2;
  uint64_t looked_for_middle = 0;
  for (const auto& [step, after] :
       StatesAfter(facts, {1, 2, steps / 4, middle, steps - 1, steps, steps + 1,
                           steps + steps / 3, 2 * steps})) {
    uint64_t looked = 0;
    uint64_t of_last = 0;
    const auto state = SeekStep(facts, step, SeekThreads(),
                                {.progress = [&](uint64_t done, uint64_t of) {
                                  EXPECT_GE(of, done);
                                  EXPECT_GT(done, looked);
                                  looked = done;
                                  of_last = of;
                                }});
    EXPECT_TRUE(state.ok()) << state.status();
    if (state.ok()) {
      EXPECT_EQ(*state, after) << step;
    }
    EXPECT_EQ(looked, of_last);
    if (step == middle) looked_for_middle = looked;
  }
  EXPECT_THAT(SeekStep(facts, 2 * steps + 1, SeekThreads(), {}).status(),
              StatusIs(StatusCode::kFailedPrecondition,
                       ::testing::HasSubstr("2 epochs of")));
  return looked_for_middle;
}

TEST(SeekEpochTest, NoMoreIsLookedAtThanASteadyOrderNeeds) {
  const auto lengths = testing::RandomLengths(kSoughtRecords, 60, 1);
  for (const PlanFacts& facts : {BucketFacts(lengths), ChunkFacts(lengths)}) {
    const uint64_t looked = SeekAll(facts);
    EXPECT_GE(looked, kSoughtRecords / 2);
    EXPECT_LE(looked, kSoughtRecords / 2 + 2 * kPart);
  }
}

// The middle step lies where the estimate has not yet come to.
TEST(SeekEpochTest, StepsThatComeLateAreFound) {
  std::vector<uint32_t> lengths(kSoughtRecords, 1);
  std::fill(lengths.end() - 5 * kPart / 2, lengths.end(), 60);
  EXPECT_EQ(SeekAll(ChunkFacts(lengths)), kSoughtRecords);
  std::replace(lengths.begin(), lengths.end(), 1, 99);  // dropped
  EXPECT_EQ(SeekAll(BucketFacts(lengths)), kSoughtRecords);
}

// And here long before it.
TEST(SeekEpochTest, StepsThatComeEarlyAreFound) {
  std::vector<uint32_t> lengths(kSoughtRecords, 60);
  std::fill(lengths.begin() + 5 * kPart / 2, lengths.end(), 1);
  EXPECT_LE(SeekAll(ChunkFacts(lengths)), kSoughtRecords / 2 + 2 * kPart);
  std::replace(lengths.begin(), lengths.end(), 1, 99);
  EXPECT_LE(SeekAll(BucketFacts(lengths)), kSoughtRecords / 2 + 2 * kPart);
}

TEST(SeekEpochTest, WhatIsFarIsLookedAtInGroups) {
  const auto lengths = testing::RandomLengths(kSoughtRecords, 60, 1);
  const PlanFacts facts = BucketFacts(lengths);
  const SeekEpoch epoch(facts, 0);
  for (const uint64_t last : {uint64_t{1}, uint64_t{9}, epoch.parts()}) {
    std::vector<int> looks(epoch.parts());
    std::vector<uint64_t> asked;
    ASSERT_OK(epoch.LookUntil(
        {.done = 0, .of = 10}, [&](uint64_t part) { ++looks[part]; },
        [&](uint64_t looked) {
          asked.push_back(looked);
          return looked >= last;
        },
        SeekThreads(), {}));
    EXPECT_TRUE(std::ranges::is_sorted(asked));
    const uint64_t end = asked.back();
    EXPECT_GE(end, last);
    EXPECT_LE(end, last + kGroup / kPart);
    EXPECT_EQ(std::ranges::count(looks, 1), static_cast<int64_t>(end));
    EXPECT_EQ(std::ranges::count(looks, 0),
              static_cast<int64_t>(epoch.parts() - end));
  }
}

TEST(SeekEpochTest, WhatIsStoppedBetweenGroupsIsCancelled) {
  const auto lengths = testing::RandomLengths(kSoughtRecords, 60, 1);
  const PlanFacts facts = BucketFacts(lengths);
  std::stop_source stop;
  uint64_t looked = 0;
  const Status status = SeekEpoch(facts, 0).LookUntil(
      {.done = 0, .of = 10}, [&](uint64_t) { ++looked; },
      [&](uint64_t) {
        stop.request_stop();
        return false;
      },
      SeekThreads(), {.stop = stop.get_token()});
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  EXPECT_EQ(looked, 1u);
}

// An epoch without records has no part.
TEST(SeekEpochTest, NothingIsLookedAtWhereNothingIs) {
  const PlanFacts facts = {.order = FileOrder(0), .forecast = {}};
  ASSERT_OK(SeekEpoch(facts, 0).LookUntil(
      {.done = 1, .of = 1}, [](uint64_t) { FAIL(); },
      [](uint64_t looked) {
        EXPECT_EQ(looked, 0u);
        return false;
      },
      SeekThreads(), {}));
}

}  // namespace
}  // namespace penstock
