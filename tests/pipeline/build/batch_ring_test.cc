#include "pipeline/build/batch_ring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <limits>
#include <new>
#include <thread>

#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::IsOk;
using ::penstock::testing::StatusIs;
using ::testing::HasSubstr;

// A batch of `parts` parts, each of which runs `build`.
class FakeWork final : public BatchWork {
 public:
  using Build = std::function<StatusOr<bool>(size_t part, bool alone)>;
  FakeWork(size_t parts, Build build)
      : parts_(parts), build_(std::move(build)) {}

  size_t parts() const override { return parts_; }
  Status Begin() override {
    ++begun;
    if (throws) throw std::bad_alloc();
    return begin;
  }
  StatusOr<bool> BuildPart(size_t part, bool alone) override {
    return build_(part, alone);
  }

  Status begin;                // what Begin() returns
  std::atomic<int> begun = 0;  // how often it was called
  bool throws = false;         // what Begin() does instead

 private:
  const size_t parts_;
  const Build build_;
};

std::shared_ptr<FakeWork> Work(FakeWork::Build build, size_t parts = 1) {
  return std::make_shared<FakeWork>(parts, std::move(build));
}
std::shared_ptr<BatchWork> Numbered(uint64_t step) {
  auto work = Work([](size_t, bool) { return true; });
  work->batch.step = step;
  return work;
}

class BatchRingTest : public ::testing::Test {
 protected:
  std::unique_ptr<TaskQueue> Threads(int count) {
    auto queue = TaskQueue::Create(count);
    EXPECT_TRUE(queue.ok());
    return *std::move(queue);
  }

  Lane lane_;
  const std::unique_ptr<TaskQueue> tasks_ = Threads(4);
};

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

// Who waits for several batches at once.
class QuickRingTest : public BatchRingTest {
 protected:
  // How many batches come out until the end, taken by a thread that is there
  // before the first is pushed and counts the first ones down.
  template <typename Push>
  static uint64_t TakeAll(BatchRing& ring, Push push,
                          std::latch* first = nullptr) {
    uint64_t taken = 0;
    std::latch waiting(1);
    std::thread taker([&] {
      waiting.count_down();
      for (;;) {
        const auto work = ring.Pop();
        if (!work.ok() || *work == nullptr) return;
        EXPECT_EQ((*work)->batch.step, taken);
        ++taken;
        if (first != nullptr && !first->try_wait()) first->count_down();
      }
    });
    waiting.wait();
    push();
    taker.join();
    return taken;
  }

  static constexpr int64_t kAlways = std::numeric_limits<int64_t>::max();
};

// However few they are, and however many there is room for.
TEST_F(QuickRingTest, GivesWhatNoOtherBatchComesBehind) {
  for (const size_t limit : {1, 2, 5, 100}) {
    BatchRing ring(*tasks_, lane_, 100, limit, kAlways);
    for (uint64_t step = 0; step < 20; ++step) {
      std::thread taker([&] {
        ASSERT_OK_AND_ASSIGN(const auto work, ring.Pop());
        EXPECT_EQ(work->batch.step, step);
      });
      ring.Push(1, Numbered(step));
      taker.join();
    }
  }
}

// There is room for too few to wait for as many as it would like.
TEST_F(QuickRingTest, MakesRoomForWhoWaitsForIt) {
  constexpr uint64_t kBatches = 300;
  for (const uint64_t bytes : {1, 3, 10, 1000}) {
    for (const size_t limit : {1, 2, 16, 100}) {
      BatchRing ring(*tasks_, lane_, 10, limit, kAlways);
      EXPECT_EQ(TakeAll(ring,
                        [&] {
                          for (uint64_t step = 0; step < kBatches; ++step) {
                            ASSERT_TRUE(ring.AwaitRoom(bytes));
                            ring.Push(bytes, Numbered(step));
                          }
                          ring.Finish(OkStatus());
                        }),
                kBatches);
    }
  }
}

// The batch behind those that are built ends only once they are taken.
TEST_F(QuickRingTest, GivesAQuarterOfTheRingWhileAnotherIsBuilt) {
  const std::unique_ptr<TaskQueue> five = Threads(5);
  BatchRing ring(*five, lane_, 100, 16, kAlways);
  std::latch all_pushed(1);
  std::latch four_taken(4);
  EXPECT_EQ(TakeAll(
                ring,
                [&] {
                  for (uint64_t step = 0; step < 4; ++step) {
                    const auto work = Work([&](size_t, bool) {
                      all_pushed.wait();
                      return true;
                    });
                    work->batch.step = step;
                    ring.Push(1, work);
                  }
                  const auto last = Work([&](size_t, bool) {
                    four_taken.wait();
                    return true;
                  });
                  last->batch.step = 4;
                  ring.Push(1, last);
                  all_pushed.count_down();
                  four_taken.wait();
                  ring.Finish(OkStatus());
                },
                &four_taken),
            5u);
}

// The second batch ends only once the third has begun, for which there is no
// room before the first is taken.
TEST_F(QuickRingTest, GivesOneWhereOthersHaveTooLittleToDo) {
  for (const size_t limit : {2, 16}) {
    BatchRing ring(*tasks_, lane_, 2, limit, kAlways);
    std::latch third(1);
    EXPECT_EQ(TakeAll(ring,
                      [&] {
                        ring.Push(1, Numbered(0));
                        const auto second = Work([&](size_t, bool) {
                          third.wait();
                          return true;
                        });
                        second->batch.step = 1;
                        ring.Push(1, second);
                        ASSERT_TRUE(ring.AwaitRoom(1));
                        const auto last = Work([&](size_t, bool) {
                          third.count_down();
                          return true;
                        });
                        last->batch.step = 2;
                        ring.Push(1, last);
                        ring.Finish(OkStatus());
                      }),
              3u);
  }
}

TEST_F(QuickRingTest, GivesWhatIsThereBeforeAnErrorAndBeforeTheEnd) {
  for (const bool fails : {false, true}) {
    std::latch taken(1);
    const std::unique_ptr<TaskQueue> tasks = Threads(4);
    BatchRing ring(*tasks, lane_, 100, 100, kAlways);
    std::thread taker([&] {
      ASSERT_OK_AND_ASSIGN(const auto work, ring.Pop());
      EXPECT_EQ(work->batch.step, 0u);
      taken.count_down();
      if (fails) {
        EXPECT_THAT(ring.Pop(),
                    StatusIs(StatusCode::kDataLoss, HasSubstr("bad record")));
      } else {
        EXPECT_THAT(ring.Pop(), IsOk());
      }
    });
    // The last one is built after the first is taken.
    ring.Push(1, Numbered(0));
    if (fails) {
      ring.Push(1, Work([](size_t, bool) -> StatusOr<bool> {
                  return DataLossError("bad record");
                }));
    }
    ring.Push(1, Work([&](size_t, bool) {
                taken.wait();
                return true;
              }));
    ring.Finish(OkStatus());
    taker.join();
  }
}

}  // namespace
}  // namespace penstock
