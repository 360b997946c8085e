#include "tokenizer/interface/thread_slots.h"

#include <gtest/gtest.h>

#include <latch>
#include <set>
#include <thread>
#include <vector>

namespace penstock {
namespace {

TEST(ThreadSlotsTest, NestedLeasesAreTwoThings) {
  ThreadSlots<int> slots;
  const ThreadSlots<int>::Lease outer(slots);
  const ThreadSlots<int>::Lease inner(slots);
  EXPECT_NE(&*outer, &*inner);
}

TEST(ThreadSlotsTest, ANewThingIsMadeOfWhatTheLeaseIsGiven) {
  int made_of = 5;
  struct Thing {
    explicit Thing(int& parts) : of(&parts) {}
    int* of;
  };
  ThreadSlots<Thing> slots;
  const ThreadSlots<Thing>::Lease lease(slots, made_of);
  EXPECT_EQ(lease->of, &made_of);
}

TEST(ThreadSlotsTest, ThreadGetsItsThingAgain) {
  ThreadSlots<int> slots;
  {
    const ThreadSlots<int>::Lease lease(slots);
    *lease = 7;
  }
  const ThreadSlots<int>::Lease lease(slots);
  EXPECT_EQ(*lease, 7);
}

TEST(ThreadSlotsTest, ClearedThreadGetsANewThingAndKeepsOneItHas) {
  ThreadSlots<int> slots;
  {
    const ThreadSlots<int>::Lease lease(slots);
    *lease = 7;
    slots.Clear();
    EXPECT_EQ(*lease, 7);
  }
  slots.Clear();
  const ThreadSlots<int>::Lease lease(slots);
  EXPECT_EQ(*lease, 0);
}

TEST(ThreadSlotsTest, ThreadGetsTheThingOfOneThatHasEnded) {
  ThreadSlots<int> slots;
  const ThreadSlots<int>::Lease of_main(slots);
  *of_main = 1;
  for (int runs = 0; runs < 100; ++runs) {
    int found = -1;
    std::thread([&] {
      const ThreadSlots<int>::Lease lease(slots);
      found = (*lease)++;
    }).join();
    EXPECT_EQ(found, runs);
  }
  EXPECT_EQ(*of_main, 1);
}

TEST(ThreadSlotsTest, ThreadsThatRunHaveNumbersOfTheirOwn) {
  constexpr size_t kThreads = 70;  // more than slots
  const size_t number_of_main = NumberOfThread();
  std::set<size_t> seen;
  for (int runs = 0; runs < 3; ++runs) {
    std::vector<size_t> numbers(kThreads);
    {
      std::latch all_run(kThreads);
      std::vector<std::jthread> threads;
      for (size_t& number : numbers) {
        threads.emplace_back([&] {
          number = NumberOfThread();
          EXPECT_EQ(NumberOfThread(), number);
          all_run.arrive_and_wait();
        });
      }
    }
    const std::set<size_t> of_this_run(numbers.begin(), numbers.end());
    EXPECT_EQ(of_this_run.size(), kThreads);
    EXPECT_FALSE(of_this_run.contains(number_of_main));
    if (runs == 0) seen = of_this_run;
    EXPECT_EQ(of_this_run, seen);
  }
}

}  // namespace
}  // namespace penstock
