#include "tokenizer/pieces/readers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/effort.h"

namespace penstock {
namespace {

TEST(ReadersTest, WhoWasInsideAtAStampHasPassedOnceItLeft) {
  Readers readers;
  Readers::Reader self(readers);
  Readers::Reader other(readers);
  other.Enter();
  const uint64_t stamp = readers.Stamp();
  EXPECT_FALSE(readers.HavePassed(stamp, self));
  other.Leave();
  EXPECT_TRUE(readers.HavePassed(stamp, self));
  other.Enter();  // after it
  EXPECT_TRUE(readers.HavePassed(stamp, self));
  EXPECT_FALSE(readers.HavePassed(readers.Stamp(), self));
}

TEST(ReadersTest, WhoAsksNeedNotHaveLeft) {
  Readers readers;
  Readers::Reader self(readers);
  self.Enter();
  EXPECT_TRUE(readers.HavePassed(readers.Stamp(), self));
}

TEST(ReadersTest, TellsWhetherThereIsOne) {
  Readers readers;
  EXPECT_FALSE(readers.has_one());
  Readers::Reader self(readers);
  EXPECT_TRUE(readers.has_one());
  {
    Readers::Reader other(readers);
    EXPECT_FALSE(readers.has_one());
  }
  EXPECT_TRUE(readers.has_one());
}

TEST(ReadersTest, GivesUpWhereAnotherStaysInside) {
  Readers readers;
  Readers::Reader other(readers);
  other.Enter();
  bool changed = false;
  EXPECT_FALSE(readers.TryWhileAlone([&] { changed = true; }));
  EXPECT_FALSE(changed);
  Readers::Reader self(readers);
  self.Enter();  // open again
  self.Leave();
  other.Leave();
  EXPECT_TRUE(readers.TryWhileAlone([&] { changed = true; }));
  EXPECT_TRUE(changed);
}

TEST(ReadersTest, IsOpenAgainWhereAChangeFails) {
  Readers readers;
  EXPECT_THROW(readers.WhileAlone([] { throw std::runtime_error("no"); }),
               std::runtime_error);
  Readers::Reader self(readers);
  self.Enter();
  self.Leave();
}

// Each of the two waits until the other is done, too.
TEST(ReadersTest, WhoWaitsToEnterHelpsWhoIsAlone) {
  Readers readers;
  Readers::Reader other(readers);
  std::array<std::thread::id, 2> by;
  std::barrier both(2);
  std::jthread waiting;
  readers.WhileAlone([&] {
    waiting = std::jthread([&] {
      other.Enter();
      other.Leave();
    });
    readers.ChangeTogether(2, [&](size_t share) {
      by[share] = std::this_thread::get_id();
      both.arrive_and_wait();
    });
  });
  EXPECT_NE(by[0], by[1]);
}

TEST(ReadersTest, WhoIsAloneChangesAllWhereNobodyWaits) {
  Readers readers;
  for (const size_t count : {0u, 1u, 2u, 9u}) {
    std::vector<size_t> done;
    readers.WhileAlone([&] {
      readers.ChangeTogether(count, [&](size_t i) { done.push_back(i); });
    });
    std::vector<size_t> expected(count);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(done, expected);
  }
}

// Numbers that are equal but while they are changed; readers come and go.
TEST(ReadersTest, WhatIsChangedAloneIsSeenWhole) {
  Readers readers;
  std::array<int, 9> numbers = {};
  const auto expect_equal = [&] {
    EXPECT_EQ(std::ranges::count(numbers, numbers[0]), numbers.size());
  };
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::optional<Readers::Reader> self(readers);
      const int rounds = testing::Cases(2000);
      for (int i = 0; i < rounds; ++i) {
        if (i % 100 == 0) self.emplace(readers);
        self->Enter();
        expect_equal();
        self->Leave();
        if (i % 20 != t) continue;
        const auto change = [&] {
          readers.ChangeTogether(numbers.size(), [&](size_t at) {
            ++numbers[at];
            std::this_thread::yield();  // others may come
          });
          expect_equal();
        };
        if (t % 2 == 0) {
          readers.WhileAlone(change);
        } else {
          readers.TryWhileAlone(change);
        }
      }
    });
  }
  threads.clear();
  EXPECT_GT(numbers[0], 0);
  expect_equal();
}

}  // namespace
}  // namespace penstock
