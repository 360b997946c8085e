#include "pipeline/build/batch_ring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <limits>
#include <thread>

#include "tests/pipeline/build/batch_ring_fixture.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::HasSubstr;

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
}  // namespace penstock::testing
