#include "infeed/queues/infeed_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <latch>
#include <thread>

#include "tests/infeed/made_batches.h"
#include "tests/infeed/queues/fake_clock.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::FakeClock;
using ::penstock::testing::MakeBatch;
using ::penstock::testing::StatusIs;
using ::penstock::testing::TokenContract;
using ::penstock::testing::TopologyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kCancelled = StatusCode::kCancelled;
constexpr int64_t kRows = 4;

class InfeedQueueTest : public ::testing::Test {
 protected:
  InfeedItem Item(uint64_t step, int64_t rows = kRows) {
    auto batch = std::make_shared<const Batch>(
        MakeBatch(*contract_, TopologyOf(1, 1, 0), step, 0, 1000));
    return {.slice = *CoreSlice::Create(batch, contract_, {.rows = rows})};
  }
  InfeedQueue Queue(InfeedQueueOptions options = {}) {
    return InfeedQueue(*contract_, kRows, clock_, options);
  }
  uint64_t ItemBytes() { return Item(0).slice.size_bytes(); }

  FakeClock clock_;
  const std::shared_ptr<const Contract> contract_ =
      std::make_shared<const Contract>(TokenContract(kRows, {8}));
};

TEST_F(InfeedQueueTest, ItemsComeOutInOrderThenTheEnd) {
  InfeedQueue queue = Queue({.depth = 3});
  for (uint64_t step = 5; step < 8; ++step) ASSERT_OK(queue.Push(Item(step)));
  queue.Close();
  for (uint64_t step = 5; step < 8; ++step) {
    ASSERT_OK_AND_ASSIGN(const auto front, queue.Front());
    EXPECT_EQ(front->slice.step(), step);
    ASSERT_OK_AND_ASSIGN(const auto item, queue.Pop());
    EXPECT_EQ(item->slice.step(), step);
  }
  ASSERT_OK_AND_ASSIGN(const auto end, queue.Pop());
  EXPECT_FALSE(end.has_value());
  EXPECT_EQ(queue.last_step(), 7u);
}

TEST_F(InfeedQueueTest, AnErrorComesAfterTheItemsBeforeIt) {
  InfeedQueue queue = Queue();
  ASSERT_OK(queue.Push(Item(0)));
  queue.Close(DataLossError("record 92 is corrupt"));
  ASSERT_OK_AND_ASSIGN(const auto item, queue.Pop());
  EXPECT_TRUE(item.has_value());
  for (int again = 0; again < 2; ++again) {
    EXPECT_THAT(queue.Pop(),
                StatusIs(StatusCode::kDataLoss, HasSubstr("record 92")));
  }
}

TEST_F(InfeedQueueTest, AWaitForAnItemLeavesItThereAndEndsWithTheQueue) {
  constexpr std::chrono::hours kLong(1);
  InfeedQueue queue = Queue();
  EXPECT_FALSE(queue.AwaitFront({}));
  {
    std::jthread waits([&] { EXPECT_TRUE(queue.AwaitFront(kLong)); });
    while (!queue.is_awaited()) std::this_thread::yield();
    ASSERT_OK(queue.Push(Item(0)));
  }
  EXPECT_FALSE(queue.is_awaited());
  EXPECT_TRUE(queue.AwaitFront({}));
  EXPECT_EQ(queue.depth(), 1u);
  ASSERT_OK(queue.Pop());
  EXPECT_FALSE(queue.AwaitFront(std::chrono::nanoseconds(1)));
  queue.Close();
  EXPECT_TRUE(queue.AwaitFront(kLong));
  InfeedQueue cancelled = Queue();
  cancelled.Cancel();
  EXPECT_TRUE(cancelled.AwaitFront(kLong));
}

TEST_F(InfeedQueueTest, CountIsBounded) {
  InfeedQueue queue = Queue({.depth = 2});
  ASSERT_OK(queue.Push(Item(0)));
  ASSERT_OK(queue.Push(Item(1)));
  std::latch pushing(1);
  std::jthread pusher([&] {
    pushing.count_down();
    EXPECT_OK(queue.Push(Item(2)));
    // The third fitted only once the first was out.
    EXPECT_LE(queue.depth(), 2u);
  });
  pushing.wait();
  EXPECT_LE(queue.depth(), 2u);
  ASSERT_OK(queue.Pop());
  pusher.join();
  EXPECT_EQ(queue.depth(), 2u);
}

TEST_F(InfeedQueueTest, BytesAreBoundedButOneItemIsAlwaysAllowed) {
  InfeedQueue queue = Queue({.depth = 8, .bytes = 2 * ItemBytes() - 1});
  ASSERT_OK(queue.Push(Item(0)));
  std::jthread pusher([&] { EXPECT_OK(queue.Push(Item(1))); });
  ASSERT_OK(queue.Pop());
  pusher.join();
  EXPECT_EQ(queue.depth(), 1u);
  queue.Cancel();

  InfeedQueue tiny = Queue({.depth = 8, .bytes = 1});
  EXPECT_OK(tiny.Push(Item(0)));
}

TEST_F(InfeedQueueTest, CancelEndsAPushThatWaits) {
  InfeedQueue queue = Queue({.depth = 1});
  ASSERT_OK(queue.Push(Item(0)));
  std::latch pushing(1);
  std::jthread pusher([&] {
    pushing.count_down();
    EXPECT_THAT(queue.Push(Item(1)), StatusIs(kCancelled, HasSubstr("infeed")));
  });
  pushing.wait();
  queue.Cancel();
}

TEST_F(InfeedQueueTest, CancelEndsAPopThatWaits) {
  InfeedQueue queue = Queue();
  std::latch popping(1);
  std::jthread popper([&] {
    popping.count_down();
    EXPECT_THAT(queue.Pop(), StatusIs(kCancelled, HasSubstr("infeed")));
  });
  popping.wait();
  queue.Cancel();
  popper.join();
  EXPECT_THAT(queue.Front(), StatusIs(kCancelled, HasSubstr("infeed")));
  EXPECT_THAT(queue.Push(Item(0)), StatusIs(kCancelled, HasSubstr("infeed")));
}

TEST_F(InfeedQueueTest, ClosingEndsAPushThatWaits) {
  InfeedQueue queue = Queue({.depth = 1});
  ASSERT_OK(queue.Push(Item(0)));
  std::jthread pusher([&] {
    EXPECT_THAT(queue.Push(Item(1)),
                StatusIs(StatusCode::kFailedPrecondition, HasSubstr("closed")));
  });
  queue.Close();
}

TEST_F(InfeedQueueTest, StepsMustFollowEachOther) {
  InfeedQueue queue = Queue({.depth = 4});
  ASSERT_OK(queue.Push(Item(3)));
  EXPECT_THAT(queue.Push(Item(5)),
              StatusIs(StatusCode::kInternal,
                       HasSubstr("step 5 for device 0 follows step 3")));
  EXPECT_THAT(queue.Push(Item(3)),
              StatusIs(StatusCode::kInternal, HasSubstr("follows")));
}

TEST_F(InfeedQueueTest, ItemsOfAnotherShapeAreRefused) {
  InfeedQueue queue = Queue();
  EXPECT_THAT(queue.Push(Item(0, 3)),
              StatusIs(StatusCode::kInternal,
                       HasSubstr("has 3 rows, its queue takes 4")));
  const Contract other = TokenContract(kRows, {8});
  InfeedQueue elsewhere(other, kRows, clock_);
  EXPECT_THAT(elsewhere.Push(Item(0)),
              StatusIs(StatusCode::kInternal, HasSubstr("another contract")));
}

TEST_F(InfeedQueueTest, DepthsAreWeightedByTime) {
  InfeedQueue queue = Queue({.depth = 2});
  clock_.Advance(10);
  ASSERT_OK(queue.Push(Item(0)));
  clock_.Advance(20);
  ASSERT_OK(queue.Push(Item(1)));
  clock_.Advance(40);
  ASSERT_OK(queue.Pop());
  clock_.Advance(80);
  EXPECT_THAT(queue.DepthNs(), ElementsAre(10, 100, 40));
}

}  // namespace
}  // namespace penstock
