#include "pipeline/build/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "pipeline/build/workers.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::IsOk;
using ::penstock::testing::StatusIs;
using ::testing::HasSubstr;

Builder::Build Numbered(uint64_t step) {
  return [step]() -> StatusOr<Built> {
    Built built;
    built.batch.step = step;
    return built;
  };
}

TEST(BuilderTest, BatchesComeInOrderHoweverLongTheyTake) {
  Workers workers(4);
  Builder builder(workers, 100, 100);
  // Batch 0 ends only after batch 1 has: each runs on a thread of its own.
  std::latch second(1);
  ASSERT_TRUE(builder.Push(1, [&]() -> StatusOr<Built> {
    second.wait();
    return Numbered(0)();
  }));
  ASSERT_TRUE(builder.Push(1, [&]() -> StatusOr<Built> {
    second.count_down();
    return Numbered(1)();
  }));
  builder.Finish(OkStatus(), {.dropped = 7});
  for (const uint64_t step : {0, 1}) {
    ASSERT_OK_AND_ASSIGN(const auto built, builder.Pop());
    ASSERT_TRUE(built.has_value());
    EXPECT_EQ(built->batch.step, step);
  }
  ASSERT_OK_AND_ASSIGN(const auto end, builder.Pop());
  EXPECT_FALSE(end.has_value());
  EXPECT_EQ(builder.left_out_at_end().dropped, 7u);
}

TEST(BuilderTest, NeverHoldsMoreBytesThanItsBudget) {
  Workers workers(4);
  Builder builder(workers, 10, 100);
  std::atomic<int> popped = 0;
  std::atomic<int> most = 0;
  std::thread pusher([&] {
    for (int i = 0; i < 200; ++i) {
      ASSERT_TRUE(builder.Push(4, [&, i]() -> StatusOr<Built> {
        const int held = i + 1 - popped.load();
        int seen = most.load();
        while (held > seen && !most.compare_exchange_weak(seen, held)) {
        }
        return Numbered(static_cast<uint64_t>(i))();
      }));
    }
    builder.Finish(OkStatus(), {});
  });
  for (int i = 0; i < 200; ++i) {
    // Before Pop() makes the room that the next Push() waits for.
    popped.store(i + 1);
    ASSERT_OK_AND_ASSIGN(const auto built, builder.Pop());
    ASSERT_TRUE(built.has_value());
  }
  pusher.join();
  EXPECT_LE(most.load(), 2);
}

TEST(BuilderTest, OneBatchIsAllowedHoweverLargeItIs) {
  Workers workers(1);
  Builder builder(workers, 10, 100);
  EXPECT_TRUE(builder.Push(1000, Numbered(0)));
  ASSERT_OK_AND_ASSIGN(const auto built, builder.Pop());
  EXPECT_TRUE(built.has_value());
}

TEST(BuilderTest, AnErrorComesInItsPlaceAndStays) {
  Workers workers(4);
  Builder builder(workers, 100, 100);
  std::latch failed(1);
  ASSERT_TRUE(builder.Push(1, [&]() -> StatusOr<Built> {
    failed.wait();
    return Numbered(0)();
  }));
  ASSERT_TRUE(builder.Push(1, [&]() -> StatusOr<Built> {
    failed.count_down();
    return DataLossError("bad record");
  }));
  ASSERT_OK_AND_ASSIGN(const auto built, builder.Pop());
  EXPECT_EQ(built->batch.step, 0u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(builder.Pop(),
                StatusIs(StatusCode::kDataLoss, HasSubstr("bad record")));
  }
  EXPECT_FALSE(builder.Push(1, Numbered(2)));
}

TEST(BuilderTest, ARunThatFailsSaysSoAfterItsBatches) {
  Workers workers(1);
  Builder builder(workers, 100, 100);
  ASSERT_TRUE(builder.Push(1, Numbered(0)));
  builder.Finish(DataLossError("bad record"), {});
  EXPECT_THAT(builder.Pop(), IsOk());
  EXPECT_THAT(builder.Pop(),
              StatusIs(StatusCode::kDataLoss, HasSubstr("bad record")));
}

TEST(BuilderTest, CancelWakesWhoWaitsForABatch) {
  Workers workers(1);
  Builder builder(workers, 100, 100);
  std::latch waiting(1);
  std::thread popper([&] {
    waiting.count_down();
    EXPECT_THAT(builder.Pop(),
                StatusIs(StatusCode::kCancelled, HasSubstr("cancelled")));
  });
  waiting.wait();
  builder.Cancel();
  popper.join();
}

TEST(BuilderTest, CancelWakesWhoWaitsForRoom) {
  Workers workers(1);
  Builder builder(workers, 1, 100);
  ASSERT_TRUE(builder.Push(1, Numbered(0)));
  std::latch waiting(1);
  std::thread pusher([&] {
    waiting.count_down();
    EXPECT_FALSE(builder.Push(1, Numbered(1)));
  });
  waiting.wait();
  builder.Cancel();
  pusher.join();
}

TEST(BuilderTest, AFailedBuildWakesWhoWaitsForRoom) {
  Workers workers(1);
  Builder builder(workers, 1, 100);
  std::latch waiting(1);
  ASSERT_TRUE(builder.Push(1, [&]() -> StatusOr<Built> {
    waiting.wait();
    return DataLossError("bad record");
  }));
  std::thread pusher([&] {
    waiting.count_down();
    EXPECT_FALSE(builder.Push(1, Numbered(1)));
  });
  pusher.join();
}

TEST(WorkersTest, DestructionWaitsForEveryTask) {
  std::atomic<int> ran = 0;
  {
    Workers workers(3);
    for (int i = 0; i < 100; ++i) workers.Run([&] { ++ran; });
  }
  EXPECT_EQ(ran.load(), 100);
}

}  // namespace
}  // namespace penstock
