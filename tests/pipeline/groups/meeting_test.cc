// What becomes of a group of processes when one of them does not do its part.
#include "pipeline/groups/meeting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "pipeline/groups/local_link.h"
#include "tests/pipeline/groups/met_groups.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr HostTimes kPatient = {};
// Long enough for a busy machine to give signs of life four times as often.
constexpr HostTimes kShort = {.silence_ns = 1'000'000'000};

// What all hosts' joining ended with; fails where it is not the same.
Status CauseOfAll(const std::vector<StatusOr<Ends>>& joined) {
  for (const auto& one : joined) {
    EXPECT_EQ(one.status(), joined[0].status());
  }
  return joined[0].status();
}

// What the waits of hosts end with, other than of `without`.
Status EndOfWaits(const MetHosts& met, uint32_t without) {
  std::vector<Status> ends(met.ends.size());
  std::vector<std::thread> threads;
  for (uint32_t host = 0; host < ends.size(); ++host) {
    if (host == without) continue;
    threads.emplace_back([&, host] {
      ends[host] = (*met.ends[host])[0]->AllGather({}).status();
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Status cause = ends[without == 0 ? 1 : 0];
  for (uint32_t host = 0; host < ends.size(); ++host) {
    if (host == without) continue;
    EXPECT_EQ(ends[host], cause);
    // A death ends all channels, one after the other.
    EXPECT_EQ((*met.ends[host])[1]->AllGather({}).status(), cause);
  }
  return cause;
}

TEST(MeetingTest, AnotherVersionIsToldToAll) {
  const auto met =
      MeetAll({.hosts = 3, .times = kPatient, .change = [](JoinOptions& join) {
                 if (join.host == 2) join.version = "2";
               }});
  EXPECT_THAT(
      CauseOfAll(met.ends),
      StatusIs(StatusCode::kFailedPrecondition,
               HasSubstr("host 2 (102) runs version 2, host 0 version 1")));
}

TEST(MeetingTest, AnotherNumberOfHostsIsToldToAll) {
  const auto met =
      MeetAll({.hosts = 3, .times = kPatient, .change = [](JoinOptions& join) {
                 if (join.host == 1) join.hosts = 4;
               }});
  EXPECT_THAT(
      CauseOfAll(met.ends),
      StatusIs(StatusCode::kFailedPrecondition,
               HasSubstr("host 1 (101) was told of 4 hosts, host 0 of 3")));
}

TEST(MeetingTest, TwoThatSayTheyAreOneHostAreToldToAll) {
  const auto met =
      MeetAll({.hosts = 3, .times = kPatient, .change = [](JoinOptions& join) {
                 if (join.host == 2) join.host = 1;
               }});
  EXPECT_THAT(CauseOfAll(met.ends),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("two processes say that they are host 1")));
}

TEST(MeetingTest, AHostThatNeverComesIsNamedToAll) {
  HostTimes times = kPatient;
  times.join_ns = 200'000'000;
  const std::shared_ptr<Meeting> meeting =
      *Meeting::Start({.hosts = 3, .version = "1", .times = times});
  const auto joined = JoinAll(2, [&](uint32_t host) {
    return JoinMeeting(
        ConnectWithin(*meeting),
        {.hosts = 3, .host = host, .version = "1", .times = times});
  });
  EXPECT_THAT(CauseOfAll(joined),
              StatusIs(StatusCode::kDeadlineExceeded,
                       HasSubstr("of 3 hosts these have not come within 0.2 s: "
                                 "2")));
}

TEST(MeetingTest, AHostThatDiesEndsAllChannelsOfAll) {
  auto met = MeetAll({.hosts = 4, .times = kPatient});
  met.cables[2]->silent = true;
  met.ends[2]->clear();
  EXPECT_THAT(EndOfWaits(met, 2),
              StatusIs(StatusCode::kUnavailable,
                       HasSubstr("host 2 (102) died: its connection ended")));
}

TEST(MeetingTest, AHostThatIsStoppedEndsAllChannelsOfAll) {
  const auto met = MeetAll({.hosts = 4, .times = kShort});
  met.cables[3]->silent = true;
  EXPECT_THAT(EndOfWaits(met, 3),
              StatusIs(StatusCode::kUnavailable,
                       AllOf(HasSubstr("host 3 (103) gave no sign of life"),
                             HasSubstr("for 1 s"))));
}

TEST(MeetingTest, ACoordinatorThatIsStoppedIsMissedByAll) {
  const auto met = MeetAll({.hosts = 3, .times = kShort});
  for (uint32_t host = 1; host < 3; ++host) met.cables[host]->silent = true;
  EXPECT_THAT(EndOfWaits(met, 0),
              StatusIs(StatusCode::kUnavailable,
                       HasSubstr("host 0 (here) gave no sign of life")));
}

TEST(MeetingTest, WhatOneHostMissesIsToldToAll) {
  const auto met =
      MeetAll({.hosts = 3, .times = kPatient, .change = [](JoinOptions& join) {
                 if (join.host == 2) join.times.silence_ns = 200'000'000;
               }});
  EXPECT_THAT(EndOfWaits(met, 2),
              StatusIs(StatusCode::kUnavailable,
                       HasSubstr("gave no sign of life for 0.2 s")));
}

TEST(MeetingTest, ChannelsFailApart) {
  const auto met = MeetAll({.hosts = 2, .times = kPatient});
  (*met.ends[0])[0]->Fail(DataLossError("bad"));
  EXPECT_THAT((*met.ends[1])[0]->AllGather({}).status(),
              StatusIs(StatusCode::kDataLoss, HasSubstr("bad")));
  std::thread other([&] { EXPECT_OK((*met.ends[0])[1]->AllGather({})); });
  EXPECT_OK((*met.ends[1])[1]->AllGather({}));
  other.join();
}

// The coordinator's word comes when the host has given it up.
TEST(MeetingTest, ARoundThatWasGivenUpIsNotTheNext) {
  class Silent final : public Link {
   public:
    explicit Silent(std::latch& asked) : asked_(asked) {}
    void Send(std::string frame) override {
      if (ReadFrame(frame)->kind == FrameKind::kGather) asked_.count_down();
    }

   private:
    std::latch& asked_;
  };
  std::latch asked(1);
  LinkListener* host = nullptr;
  ASSERT_OK_AND_ASSIGN(
      const Ends ends,
      JoinMeeting(
          [&](LinkListener& listener) -> StatusOr<std::unique_ptr<Link>> {
            host = &listener;
            listener.OnFrame(WriteFrame({.kind = FrameKind::kWelcome}));
            return std::make_unique<Silent>(asked);
          },
          {.hosts = 2, .host = 1}));
  std::thread failing([&] {
    asked.wait();
    ends[0]->Fail(DataLossError("bad"));
  });
  EXPECT_THAT(ends[0]->AllGather("first"),
              StatusIs(StatusCode::kDataLoss, HasSubstr("bad")));
  failing.join();
  host->OnFrame(WriteFrame(
      {.kind = FrameKind::kTaken, .number = 1, .parts = {"first", "first"}}));
  EXPECT_THAT(ends[0]->AllGather("second"),
              StatusIs(StatusCode::kDataLoss, HasSubstr("bad")));
}

TEST(MeetingTest, BytesThatAreNoFrameAreRefused) {
  const Frame frame = {.kind = FrameKind::kExchange,
                       .channel = 1,
                       .number = 77,
                       .parts = {"a", "", "bcd"}};
  const std::string bytes = WriteFrame(frame);
  ASSERT_OK_AND_ASSIGN(const Frame read, ReadFrame(bytes));
  EXPECT_EQ(read, frame);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(ReadFrame(bytes.substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(ReadFrame(bytes + "x").ok());
}

}  // namespace
}  // namespace penstock::testing
