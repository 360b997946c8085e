#include "tokenizer/interface/thread_slots.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(ThreadSlotsTest, NestedLeasesAreTwoThings) {
  ThreadSlots<int> slots;
  const ThreadSlots<int>::Lease outer(slots);
  const ThreadSlots<int>::Lease inner(slots);
  EXPECT_NE(&*outer, &*inner);
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

}  // namespace
}  // namespace penstock
