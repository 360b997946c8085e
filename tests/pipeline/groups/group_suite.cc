#include "tests/pipeline/groups/group_suite.h"

#include <gmock/gmock.h>

#include <thread>

#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {

using ::testing::HasSubstr;

void GroupTest::OnEveryHost(const std::function<void(uint32_t, Group&)>& work) {
  std::vector<std::thread> threads;
  for (const auto& end : ends_) {
    threads.emplace_back([&] { work(end->host(), *end); });
  }
  for (std::thread& thread : threads) thread.join();
}

namespace {

// What host `from` has for host `to` in a round: also nothing, and not always
// as much.
std::string Brought(uint32_t from, uint32_t to, uint32_t round) {
  return std::string((from + 2 * to + round) % 4,
                     static_cast<char>(from + 16 * to));
}

TEST_P(GroupTest, EndsKnowWhoTheyAre) {
  for (const auto& end : ends_) {
    EXPECT_EQ(end->hosts(), hosts());
    EXPECT_LT(end->host(), hosts());
  }
}

TEST_P(GroupTest, HostsOfOneProcessShareWhatTheFirstBrought) {
  const auto first = std::make_shared<int>(1);
  const std::shared_ptr<void> shared = ends_[0]->Share("a", first);
  EXPECT_EQ(shared, first);
  for (const auto& end : ends_) {
    const auto mine = std::make_shared<int>(2);
    EXPECT_EQ(end->Share("a", mine) == first, end->is_one_process());
    EXPECT_EQ(end->Share("b", mine), mine);  // nobody has the one before it
  }
}

TEST_P(GroupTest, EveryHostGetsWhatEachBroughtInEachRound) {
  OnEveryHost([&](uint32_t host, Group& end) {
    for (uint32_t round = 0; round < 300; ++round) {
      ASSERT_OK_AND_ASSIGN(const auto all,
                           end.AllGather(Brought(host, 0, round)));
      ASSERT_EQ(all.size(), hosts());
      for (uint32_t other = 0; other < hosts(); ++other) {
        ASSERT_EQ(all[other], Brought(other, 0, round));
      }
    }
  });
}

TEST_P(GroupTest, EveryHostGetsWhatEachHadForIt) {
  OnEveryHost([&](uint32_t host, Group& end) {
    for (uint32_t round = 0; round < 300; ++round) {
      std::vector<std::string> to;
      for (uint32_t other = 0; other < hosts(); ++other) {
        to.push_back(Brought(host, other, round));
      }
      ASSERT_OK_AND_ASSIGN(const auto from, end.Exchange(std::move(to)));
      ASSERT_EQ(from.size(), hosts());
      for (uint32_t other = 0; other < hosts(); ++other) {
        ASSERT_EQ(from[other], Brought(other, host, round));
      }
    }
  });
}

TEST_P(GroupTest, TheCauseThatOneGivesEndsTheWaitOfAll) {
  const Status cause = DataLossError("bad record");
  OnEveryHost([&](uint32_t host, Group& end) {
    if (host == 0) end.Fail(cause);
    EXPECT_EQ(end.AllGather({}).status(), cause);
    EXPECT_EQ(end.Exchange(std::vector<std::string>(hosts())).status(), cause);
    EXPECT_EQ(end.failed(), cause);
  });
}

TEST_P(GroupTest, AllGetTheSameOfSeveralCauses) {
  OnEveryHost([&](uint32_t host, Group& end) {
    end.Fail(DataLossError("of host " + std::to_string(host)));
  });
  const Status cause = ends_[0]->failed();
  EXPECT_FALSE(cause.ok());
  for (const auto& end : ends_) EXPECT_EQ(end->failed(), cause);
}

// A host that is done fails the group while others have not yet woken up.
TEST_P(GroupTest, ARoundThatAllHaveEnteredIsNotTakenAway) {
  OnEveryHost([&](uint32_t, Group& end) {
    EXPECT_OK(end.AllGather({}));
    end.Fail(CancelledError("one left"));
  });
}

// What was told before a round is known after it.
TEST_P(GroupTest, PulsesOfAllAreSeenByAll) {
  OnEveryHost([&](uint32_t, Group& end) {
    EXPECT_EQ(end.Pulses().size(), hosts());
    end.Beat("one");
    end.Beat("two of " + std::to_string(end.host()));
    ASSERT_OK(end.AllGather({}));
    const auto pulses = end.Pulses();
    for (uint32_t host = 0; host < hosts(); ++host) {
      EXPECT_EQ(pulses[host].beats, 2u);
      EXPECT_EQ(pulses[host].report, "two of " + std::to_string(host));
    }
  });
}

TEST_P(GroupTest, EndsMayGoInAnyOrder) {
  OnEveryHost([](uint32_t, Group& end) { EXPECT_OK(end.AllGather({})); });
  ends_.erase(ends_.begin());
  if (!ends_.empty()) ends_.back()->Fail(CancelledError("one left"));
}

TEST_P(GroupTest, HostsThatMakeDifferentCallsFindOut) {
  if (hosts() == 1) return;
  OnEveryHost([&](uint32_t host, Group& end) {
    const Status status =
        host == 1 ? end.Exchange(std::vector<std::string>(hosts())).status()
                  : end.AllGather({}).status();
    EXPECT_THAT(status, StatusIs(StatusCode::kInternal,
                                 HasSubstr("make different calls")));
  });
}

TEST_P(GroupTest, WhoLeavesWhileOthersNeedItEndsTheirWait) {
  if (hosts() == 1) return;
  const auto last = hosts() - 1;
  OnEveryHost([&](uint32_t host, Group& end) {
    EXPECT_OK(end.AllGather({}));
    if (host == last) {
      for (auto& mine : ends_) {
        if (mine.get() == &end) mine.reset();
      }
      return;
    }
    const Status status = end.AllGather({}).status();
    EXPECT_THAT(status, StatusIs(StatusCode::kUnavailable,
                                 HasSubstr("left before the end of the run")));
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("host " + std::to_string(last)));
    EXPECT_EQ(end.failed(), status);
  });
}

TEST_P(GroupTest, ManyBytesArriveAsTheyAre) {
  const auto bytes = [](uint32_t from, uint32_t to) {
    return std::string((5 << 20) / kCaseStride + from,
                       static_cast<char>(from * 7 + to));
  };
  OnEveryHost([&](uint32_t host, Group& end) {
    std::vector<std::string> to;
    for (uint32_t other = 0; other < hosts(); ++other) {
      to.push_back(bytes(host, other));
    }
    ASSERT_OK_AND_ASSIGN(const auto from, end.Exchange(std::move(to)));
    for (uint32_t other = 0; other < hosts(); ++other) {
      EXPECT_TRUE(from[other] == bytes(other, host));
    }
  });
}

}  // namespace
}  // namespace penstock::testing
