#include "tokenizer/vocabulary/readers.h"

#include <gtest/gtest.h>

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

// Two numbers that are equal but while they are changed; readers come and go.
TEST(ReadersTest, WhatIsChangedAloneIsSeenWhole) {
  Readers readers;
  int one = 0, two = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::optional<Readers::Reader> self(readers);
      const int rounds = testing::Cases(2000);
      for (int i = 0; i < rounds; ++i) {
        if (i % 100 == 0) self.emplace(readers);
        self->Enter();
        EXPECT_EQ(one, two);
        self->Leave();
        if (i % 20 != t) continue;
        const auto change = [&] {
          ++one;
          std::this_thread::yield();  // others may come
          ++two;
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
  EXPECT_GT(one, 0);
  EXPECT_EQ(one, two);
}

}  // namespace
}  // namespace penstock
