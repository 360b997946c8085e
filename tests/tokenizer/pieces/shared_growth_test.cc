#include "tokenizer/pieces/shared_growth.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <latch>
#include <thread>
#include <vector>

namespace penstock {
namespace {

constexpr size_t kPortion = SharedGrowth::kPortion;

TEST(OwnLinesTest, TwoReadersWriteToTwoCacheLines) {
  Readers readers;
  const Readers::Reader first(readers);
  const Readers::Reader second(readers);
  OwnLines lines;
  const auto address_of = [&](const Readers::Reader& reader) {
    return reinterpret_cast<uintptr_t>(&lines.Of(reader));
  };
  EXPECT_NE(address_of(first) / 64, address_of(second) / 64);
  EXPECT_EQ(address_of(first), address_of(first));
}

// As do those that come once others have left.
TEST(OwnLinesTest, ReadersTakeTheLinesInTurn) {
  Readers readers;
  const Readers::Reader first(readers);
  for (size_t i = 1; i < OwnLines::kLines; ++i) {
    EXPECT_EQ(Readers::Reader(readers).number(), i);
  }
  OwnLines lines;
  EXPECT_EQ(&lines.Of(first), &lines.Of(Readers::Reader(readers)));
}

// Those of a thread that are fewer than a portion are not yet told.
TEST(SharedGrowthTest, IsWantedOnceSoManyAreCountedAndNotBefore) {
  constexpr size_t kMost = 1000;
  constexpr size_t kReaders = 3;
  Readers readers;
  std::deque<Readers::Reader> all;
  while (all.size() < kReaders) all.emplace_back(readers);
  SharedGrowth growth(readers);
  growth.Begin(kMost);
  size_t counted = 0;
  for (; !growth.IsWanted(); ++counted) {
    growth.CountOne(all[counted % kReaders]);
  }
  EXPECT_GE(counted, kMost);
  EXPECT_LT(counted, kMost + kReaders * kPortion);
}

TEST(SharedGrowthTest, CountsOfThreadsThatShareALineAreAllTold) {
  constexpr size_t kThreads = 4;
  constexpr size_t kEach = 2000 * kPortion;
  Readers readers;
  std::deque<Readers::Reader> all;
  while (all.size() < kThreads * OwnLines::kLines) all.emplace_back(readers);
  for (const size_t more : {0, 1}) {
    SharedGrowth growth(readers);
    growth.Begin(kThreads * kEach + more);
    {
      std::latch all_there(kThreads);
      std::vector<std::jthread> threads;
      for (size_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
          all_there.arrive_and_wait();
          for (size_t i = 0; i < kEach; ++i) {
            growth.CountOne(all[t * OwnLines::kLines]);
          }
        });
      }
    }
    EXPECT_EQ(growth.IsWanted(), more == 0);
  }
}

}  // namespace
}  // namespace penstock
