#include "pipeline/tasks/task_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <memory>
#include <new>
#include <stop_token>
#include <thread>
#include <vector>

#include "pipeline/tasks/lane.h"
#include "pipeline/tasks/parallel_for.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<TaskQueue> Queue(int threads) {
  auto queue = TaskQueue::Create(threads);
  EXPECT_OK(queue);
  return *std::move(queue);
}

TEST(TaskQueueTest, DestructionWaitsForEveryTask) {
  std::atomic<int> ran = 0;
  {
    const auto queue = Queue(3);
    for (int i = 0; i < 100; ++i) queue->Run([&] { ++ran; });
  }
  EXPECT_EQ(ran.load(), 100);
}

// Each of as many tasks waits until the others run, too.
TEST(TaskQueueTest, AsManyTasksRunAtOnceAsItWasMadeFor) {
  for (const int threads : {1, 2, 7}) {
    std::latch all(threads);
    const auto queue = Queue(threads);
    for (int i = 0; i < threads; ++i) {
      queue->Run([&] { all.arrive_and_wait(); });
    }
  }
}

TEST(TaskQueueTest, NoMoreTasksRunAtOnceThanItWasMadeFor) {
  const auto large = Queue(8);  // so that the pool has more threads
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  {
    const auto queue = Queue(2);
    for (int i = 0; i < 200; ++i) {
      queue->Run([&] {
        const int now = ++running;
        int seen = most.load();
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        --running;
      });
    }
  }
  EXPECT_LE(most.load(), 2);
}

TEST(TaskQueueTest, TasksThatAreToRunSoonStartBeforeOthersAndInTheirOrder) {
  std::vector<int> ran;
  {
    std::latch all_there(1);
    const auto queue = Queue(1);
    queue->Run([&] { all_there.wait(); });
    queue->Run([&] { ran.push_back(3); });
    queue->RunSoon([&] { ran.push_back(1); });
    queue->RunSoon([&] { ran.push_back(2); });
    all_there.count_down();
  }
  EXPECT_THAT(ran, ElementsAre(1, 2, 3));
}

// Where two threads each took the first task of a home, the one that is free
// first takes the next of its own, not the other's, though that waits longer.
TEST(TaskQueueTest, AThreadTakesTheTasksOfItsOwnHomeFirst) {
  using Way =
      void (TaskQueue::*)(std::function<void()>, std::shared_ptr<TaskHome>);
  for (const Way run : {Way{&TaskQueue::Run}, Way{&TaskQueue::RunSoon}}) {
    std::latch both_began(3);
    std::latch all_there(1);
    std::latch one_went_on(1);
    std::latch other_went_on(1);
    std::thread::id first[2];
    std::thread::id second[2];
    {
      const auto queue = Queue(2);
      const auto mine = std::make_shared<TaskHome>();
      const auto theirs = std::make_shared<TaskHome>();
      std::atomic<bool> released = false;
      const auto release = [&] {
        if (!released.exchange(true)) one_went_on.count_down();
      };
      ((*queue).*run)(
          [&] {
            first[0] = std::this_thread::get_id();
            both_began.arrive_and_wait();
            all_there.wait();
          },
          mine);
      ((*queue).*run)(
          [&] {
            first[1] = std::this_thread::get_id();
            both_began.arrive_and_wait();
            one_went_on.wait();
          },
          theirs);
      both_began.arrive_and_wait();
      ((*queue).*run)(
          [&] {
            second[1] = std::this_thread::get_id();
            release();
            other_went_on.count_down();
          },
          theirs);
      ((*queue).*run)(
          [&] {
            second[0] = std::this_thread::get_id();
            release();
            other_went_on.wait();  // so that it takes no other meanwhile
          },
          mine);
      all_there.count_down();
    }
    EXPECT_EQ(second[0], first[0]);
    EXPECT_EQ(second[1], first[1]);
  }
}

// The first task of the home waits for the second.
TEST(TaskQueueTest, AThreadWithNothingElseToDoTakesAnothersTask) {
  std::latch other_ran(1);
  const auto queue = Queue(2);
  const auto home = std::make_shared<TaskHome>();
  queue->Run([&] { other_ran.wait(); }, home);
  queue->Run([&] { other_ran.count_down(); }, home);
}

// More wait than are looked at, each thread's behind those of others.
TEST(TaskQueueTest, AllTasksRunHoweverManyOfOthersWaitBeforeThem) {
  constexpr size_t kThreads = 3;
  constexpr size_t kOfEach = 200;
  std::vector<std::atomic<int>> ran(kThreads * kOfEach);
  {
    std::latch all_there(1);
    std::latch all_began(kThreads + 1);
    const auto queue = Queue(kThreads);
    std::vector<std::shared_ptr<TaskHome>> homes;
    for (size_t home = 0; home < kThreads; ++home) {
      homes.push_back(std::make_shared<TaskHome>());
      queue->Run(
          [&] {
            all_began.arrive_and_wait();
            all_there.wait();
          },
          homes.back());
    }
    all_began.arrive_and_wait();
    for (size_t i = 0; i < ran.size(); ++i) {
      queue->Run([&ran, i] { ++ran[i]; }, homes[i / kOfEach]);
    }
    all_there.count_down();
  }
  for (const auto& times : ran) EXPECT_EQ(times, 1);
}

// oneTBB's global_control, which this pool had once, takes the least of all.
TEST(TaskQueueTest, AnIdleQueueOfOneThreadSlowsNobody) {
  const auto idle = Queue(1);
  std::latch all(4);
  const auto queue = Queue(4);
  for (int i = 0; i < 4; ++i) {
    queue->Run([&] { all.arrive_and_wait(); });
  }
}

TEST(TaskQueueTest, AQueueThatIsFullOfWorkStarvesNoOther) {
  std::atomic<bool> other_ran = false;
  std::atomic<bool> stop = false;
  std::function<void()> again;  // outlives the queue, whose tasks copy it
  const auto busy = Queue(1);
  again = [&] {
    if (!stop) busy->Run(again);
  };
  busy->Run(again);
  {
    const auto other = Queue(1);
    other->Run([&] { other_ran = true; });
  }
  EXPECT_TRUE(other_ran);
  stop = true;
}

TEST(TaskQueueTest, ZeroIsAThreadForEachCoreAndLessIsRefused) {
  EXPECT_GE(Queue(0)->threads(), 1);
  EXPECT_THAT(TaskQueue::Create(-1).status(),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("0 for one")));
}

TEST(ParallelForTest, EveryPartIsDoneOnce) {
  const auto tasks = Queue(4);
  for (const uint64_t count : {0, 1, 3, 1000}) {
    std::vector<std::atomic<int>> done(count);
    EXPECT_OK(ParallelFor(*tasks, count, {}, [&](uint64_t i) { ++done[i]; }));
    for (const auto& times : done) EXPECT_EQ(times, 1);
  }
}

TEST(ParallelForTest, AStopLeavesTheRestOut) {
  const auto tasks = Queue(3);
  std::stop_source stop;
  std::atomic<int> done = 0;
  const Status status =
      ParallelFor(*tasks, 1000, stop.get_token(), [&](uint64_t) {
        if (++done >= 10) stop.request_stop();
      });
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  // Nine that say nothing, and one more of each of four threads.
  EXPECT_LE(done, 13);
}

TEST(ParallelForTest, MemoryThatEndsInAPartEndsThePass) {
  const auto tasks = Queue(3);
  EXPECT_THROW((void)ParallelFor(*tasks, 1000, {},
                                 [&](uint64_t i) {
                                   if (i == 500) throw std::bad_alloc();
                                 }),
               std::bad_alloc);
}

TEST(LaneTest, TasksOfManyThreadsRunOneAtATime) {
  Lane lane;
  int count = 0;  // guarded by nothing but the lane
  std::atomic<int> inside = 0;
  std::atomic<bool> met = false;
  {
    const auto queue = Queue(4);
    for (int i = 0; i < 1000; ++i) {
      queue->Run([&] {
        lane.Run([&] {
          if (++inside > 1) met = true;
          ++count;
          --inside;
        });
      });
    }
  }
  EXPECT_EQ(count, 1000);
  EXPECT_FALSE(met);
}

TEST(LaneTest, ATaskMayLeaveAnother) {
  Lane lane;
  std::vector<int> order;
  lane.Run([&] {
    lane.Run([&] { order.push_back(2); });
    order.push_back(1);
  });
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

}  // namespace
}  // namespace penstock::testing
