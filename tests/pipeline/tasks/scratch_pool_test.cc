#include "pipeline/tasks/scratch_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <set>
#include <thread>

namespace penstock {
namespace {

TEST(ScratchPoolTest, AThreadGetsBackWhatItLeft) {
  ScratchPool<int> pool;
  std::barrier all(3);
  std::array<int*, 3> first = {};
  std::array<int*, 3> again = {};
  std::array<std::thread, 3> threads;
  for (size_t t = 0; t < threads.size(); ++t) {
    threads[t] = std::thread([&, t] {
      auto scratch = pool.Borrow();
      first[t] = scratch.get();
      all.arrive_and_wait();  // all have one of their own
      pool.Return(std::move(scratch));
      all.arrive_and_wait();  // in any order
      scratch = pool.Borrow();
      again[t] = scratch.get();
      all.arrive_and_wait();
      pool.Return(std::move(scratch));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(again, first);

  // Another thread gets any of these before there are more.
  std::set<int*> kept;
  std::array<std::unique_ptr<int>, 4> borrowed;
  for (auto& scratch : borrowed) scratch = pool.Borrow();
  for (size_t i = 0; i < 3; ++i) kept.insert(borrowed[i].get());
  EXPECT_EQ(kept, std::set<int*>(first.begin(), first.end()));
  EXPECT_FALSE(kept.contains(borrowed[3].get()));
}

TEST(ScratchPoolTest, WhatAThreadLeftLastComesFirst) {
  ScratchPool<int> pool;
  std::array<std::unique_ptr<int>, 3> borrowed;
  for (auto& scratch : borrowed) scratch = pool.Borrow();
  const int* const last = borrowed[2].get();
  for (auto& scratch : borrowed) pool.Return(std::move(scratch));
  EXPECT_EQ(pool.Borrow().get(), last);
}

}  // namespace
}  // namespace penstock
