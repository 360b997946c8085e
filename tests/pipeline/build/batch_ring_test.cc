#include "pipeline/build/batch_ring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "tests/pipeline/build/batch_ring_fixture.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::HasSubstr;

TEST_F(BatchRingTest, BatchesComeInOrderHoweverLongTheyTake) {
  BatchRing ring(*tasks_, lane_, 100, 100);
  // Batch 0 ends only after batch 1 has: each runs on a thread of its own.
  std::latch second(1);
  ring.Push(1, Work([&](size_t, bool) {
              second.wait();
              return true;
            }));
  ring.Push(1, Work([&](size_t, bool) {
              second.count_down();
              return true;
            }));
  ring.Push(1, Numbered(2));
  ring.Finish(OkStatus());
  ASSERT_OK_AND_ASSIGN(auto work, ring.Pop());
  ASSERT_OK_AND_ASSIGN(work, ring.Pop());
  EXPECT_EQ(work->batch.step, 0u);
  ASSERT_OK_AND_ASSIGN(work, ring.Pop());
  EXPECT_EQ(work->batch.step, 2u);
  ASSERT_OK_AND_ASSIGN(work, ring.Pop());
  EXPECT_EQ(work, nullptr);
}

TEST_F(BatchRingTest, PartsOfABatchRunSideBySide) {
  BatchRing ring(*tasks_, lane_, 100, 100);
  std::latch all(4);
  ring.Push(1, Work(
                   [&](size_t, bool) {
                     all.arrive_and_wait();
                     return true;
                   },
                   /*parts=*/4));
  EXPECT_THAT(ring.Pop(), IsOk());
}

// Every part is too large for the beginning; one at a time has the memory.
TEST_F(BatchRingTest, LargePartsComeOneAtATime) {
  BatchRing ring(*tasks_, lane_, 1000, 100);
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  std::atomic<int> done = 0;
  for (int batch = 0; batch < 10; ++batch) {
    ring.Push(1, Work(
                     [&](size_t, bool alone) {
                       if (!alone) return false;
                       const int now = ++running;
                       if (now > most) most = now;
                       --running;
                       ++done;
                       return true;
                     },
                     /*parts=*/8));
  }
  for (int batch = 0; batch < 10; ++batch) EXPECT_THAT(ring.Pop(), IsOk());
  EXPECT_EQ(most, 1);
  EXPECT_EQ(done, 80);
}

TEST_F(BatchRingTest, NeverHoldsMoreBytesThanItsBudget) {
  BatchRing ring(*tasks_, lane_, 10, 100);
  std::atomic<int> popped = 0;
  std::atomic<int> most = 0;
  std::thread pusher([&] {
    for (int i = 0; i < 200; ++i) {
      ASSERT_TRUE(ring.AwaitRoom(4));
      ring.Push(
          4, Work([&, i](size_t, bool) {
            const int held = i + 1 - popped.load();
            int seen = most.load();
            while (held > seen && !most.compare_exchange_weak(seen, held)) {
            }
            return true;
          }));
    }
    ring.Finish(OkStatus());
  });
  for (int i = 0; i < 200; ++i) {
    // Before Pop() makes the room that the next batch waits for.
    popped.store(i + 1);
    ASSERT_OK_AND_ASSIGN(const auto built, ring.Pop());
    ASSERT_NE(built, nullptr);
  }
  pusher.join();
  EXPECT_LE(most.load(), 2);
}

TEST_F(BatchRingTest, OneBatchIsAllowedHoweverLargeItIs) {
  BatchRing ring(*tasks_, lane_, 10, 100);
  EXPECT_TRUE(ring.AwaitRoom(1000));
  ring.Push(1000, Numbered(0));
  EXPECT_THAT(ring.Pop(), IsOk());
  EXPECT_TRUE(ring.AwaitRoom(UINT64_MAX));
}

TEST_F(BatchRingTest, AnErrorComesInItsPlaceAndStays) {
  BatchRing ring(*tasks_, lane_, 100, 100);
  std::latch failed(1);
  ring.Push(1, Work([&](size_t, bool) {
              failed.wait();
              return true;
            }));
  ring.Push(1, Work([&](size_t, bool) -> StatusOr<bool> {
              failed.count_down();
              return DataLossError("bad record");
            }));
  EXPECT_THAT(ring.Pop(), IsOk());
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(ring.Pop(),
                StatusIs(StatusCode::kDataLoss, HasSubstr("bad record")));
  }
  EXPECT_FALSE(ring.AwaitRoom(1));
}

TEST_F(BatchRingTest, ABatchHasNoMemoryWhileItWaitsForThoseBeforeIt) {
  const std::unique_ptr<TaskQueue> one = Threads(1);
  BatchRing ring(*one, lane_, 100, 100);
  std::shared_ptr<FakeWork> second;
  second = Work(
      [&](size_t, bool) {
        EXPECT_EQ(second->begun, 1);
        return true;
      },
      /*parts=*/3);
  std::latch pushed(1);
  ring.Push(1, Work([&](size_t, bool) {
              pushed.wait();
              EXPECT_EQ(second->begun, 0);
              return true;
            }));
  ring.Push(1, second);
  pushed.count_down();
  EXPECT_THAT(ring.Pop(), IsOk());
  EXPECT_THAT(ring.Pop(), IsOk());
  EXPECT_EQ(second->begun, 1);
}

TEST_F(BatchRingTest, ABatchOfNoPartsHasMemory) {
  BatchRing ring(*tasks_, lane_, 100, 100);
  const auto work = Work({}, /*parts=*/0);
  ring.Push(1, work);
  EXPECT_THAT(ring.Pop(), IsOk());
  EXPECT_EQ(work->begun, 1);
}

TEST_F(BatchRingTest, ABatchWithoutMemoryIsAnErrorInItsPlace) {
  for (const size_t parts : {0, 3}) {
    for (const bool throws : {false, true}) {
      BatchRing ring(*tasks_, lane_, 100, 100);
      const auto work = Work(
          [](size_t, bool) {
            ADD_FAILURE() << "there is nothing to build it in";
            return true;
          },
          parts);
      work->begin = ResourceExhaustedError("not enough memory");
      work->throws = throws;
      ring.Push(1, Numbered(0));
      ring.Push(1, work);
      EXPECT_THAT(ring.Pop(), IsOk());
      for (int i = 0; i < 2; ++i) {
        EXPECT_THAT(ring.Pop(), StatusIs(StatusCode::kResourceExhausted,
                                         HasSubstr("not enough memory")));
      }
      EXPECT_FALSE(ring.AwaitRoom(1));
    }
  }
}

TEST_F(BatchRingTest, AnOpenBatchIsReadyOnceItsLastPartIs) {
  BatchRing ring(*tasks_, lane_, 100, 100);
  std::atomic<int> built = 0;
  std::shared_ptr<FakeWork> work;
  const auto part = [&](bool) -> StatusOr<bool> {
    EXPECT_EQ(work->begun, 1);
    ++built;
    return true;
  };
  // Parts that Push() starts end before and behind those that came early.
  for (const size_t parts : {0, 2}) {
    for (const bool early_is_last : {false, true}) {
      built = 0;
      work = Work([&](size_t, bool) { return part(false); }, parts);
      const auto slot = ring.Open(work);
      ring.Start(slot, part);
      std::latch pushed(1);
      ring.Start(slot, [&](bool alone) {
        if (early_is_last) pushed.wait();
        return part(alone);
      });
      ring.Push(1, slot);
      pushed.count_down();
      ASSERT_OK_AND_ASSIGN(const auto popped, ring.Pop());
      EXPECT_EQ(popped, work);
      EXPECT_EQ(built, 2 + static_cast<int>(parts));
      EXPECT_EQ(work->begun, 1);
    }
  }
}

TEST_F(BatchRingTest, AnOpenBatchIsInNobodysWay) {
  const std::unique_ptr<TaskQueue> one = Threads(1);
  BatchRing ring(*one, lane_, 1, 1);
  const auto open = ring.Open(Numbered(1));
  const auto never_pushed = ring.Open(Numbered(2));
  const auto fail = [](bool) -> StatusOr<bool> {
    return DataLossError("bad record");
  };
  ring.Start(open, fail);
  ring.Start(never_pushed, fail);
  // Its error is behind the batches that are pushed before it.
  EXPECT_TRUE(ring.AwaitRoom(1));
  ring.Push(1, Numbered(0));
  ASSERT_OK_AND_ASSIGN(const auto first, ring.Pop());
  EXPECT_EQ(first->batch.step, 0u);
  EXPECT_FALSE(ring.failed());
  EXPECT_TRUE(ring.AwaitRoom(1));
  ring.Push(1, open);
  EXPECT_THAT(ring.Pop(),
              StatusIs(StatusCode::kDataLoss, HasSubstr("bad record")));
  EXPECT_FALSE(ring.AwaitRoom(1));
}

TEST_F(BatchRingTest, AnEarlyPartOfManyBytesWaitsForMemoryOfItsOwn) {
  BatchRing ring(*tasks_, lane_, 100, 100);
  const auto slot = ring.Open(Work({}, /*parts=*/0));
  std::atomic<int> alone = 0;
  ring.Start(slot, [&](bool is_alone) -> StatusOr<bool> {
    alone += is_alone ? 1 : 0;
    return is_alone;
  });
  ring.Push(1, slot);
  EXPECT_THAT(ring.Pop(), IsOk());
  EXPECT_EQ(alone, 1);
}

TEST_F(BatchRingTest, MemoryThatEndsInAPartIsAnError) {
  BatchRing ring(*tasks_, lane_, 100, 100);
  ring.Push(
      1, Work([](size_t, bool) -> StatusOr<bool> { throw std::bad_alloc(); }));
  EXPECT_THAT(ring.Pop(), StatusIs(StatusCode::kResourceExhausted,
                                   HasSubstr("not enough memory")));
}

TEST_F(BatchRingTest, ARunThatFailsSaysSoAfterItsBatches) {
  BatchRing ring(*tasks_, lane_, 100, 100);
  ring.Push(1, Numbered(0));
  ring.Finish(DataLossError("bad record"));
  EXPECT_THAT(ring.Pop(), IsOk());
  EXPECT_THAT(ring.Pop(),
              StatusIs(StatusCode::kDataLoss, HasSubstr("bad record")));
}

TEST_F(BatchRingTest, CancelWakesWhoWaitsForABatch) {
  BatchRing ring(*tasks_, lane_, 100, 100);
  std::latch waiting(1);
  std::thread popper([&] {
    waiting.count_down();
    EXPECT_THAT(ring.Pop(),
                StatusIs(StatusCode::kCancelled, HasSubstr("cancelled")));
  });
  waiting.wait();
  ring.Cancel();
  popper.join();
}

TEST_F(BatchRingTest, CancelWakesWhoWaitsForRoom) {
  BatchRing ring(*tasks_, lane_, 1, 100);
  ring.Push(1, Numbered(0));
  std::latch waiting(1);
  std::thread pusher([&] {
    waiting.count_down();
    EXPECT_FALSE(ring.AwaitRoom(1));
  });
  waiting.wait();
  ring.Cancel();
  pusher.join();
}

TEST_F(BatchRingTest, AFailedBuildWakesWhoWaitsForRoom) {
  BatchRing ring(*tasks_, lane_, 1, 100);
  std::latch waiting(1);
  ring.Push(1, Work([&](size_t, bool) -> StatusOr<bool> {
              waiting.wait();
              return DataLossError("bad record");
            }));
  std::thread pusher([&] {
    waiting.count_down();
    EXPECT_FALSE(ring.AwaitRoom(1));
  });
  pusher.join();
}

}  // namespace
}  // namespace penstock::testing
